"""Slow tests of the same subject as ``test_students_own_names``, for CI and `make test WHOLE=1`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.platforms.discover import find_entries

from ..downloads import (
    STUBS,
)
from ..makers import folder_of

TREE = (
    *("a/ada.py", "a/ada.zip", "a/Ada.py", "a/attention_scores.py", "b/attention_scores.py", "b/bo.py"),
    *("d/cy.py", "d/cy.zip", "d/cy/helper.py", "d/e/attention_scores.ipynb", "c/f/attention_scores.py"),
)


PLACES = st.sampled_from((*TREE, ".", "a", "b", "c", "d", "d/cy", "d/e"))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(PLACES, min_size=1, max_size=4), min_size=2, max_size=6))
def test_in_whatever_turns_files_are_graded_each_keeps_its_name(tmp_path_factory, batches):
    root = folder_of(tmp_path_factory.mktemp("course"), dict.fromkeys(TREE, ""))
    names = {}
    for batch in batches:
        earlier = {name: str(path) for path, name in names.items()}
        entries = find_entries([root / place for place in batch], STUBS, earlier=earlier).entries
        assert all(names.get(entry.path, entry.name) == entry.name for entry in entries)
        names |= {entry.path: entry.name for entry in entries}
        assert len({name.casefold() for name in names.values()}) == len(names)
