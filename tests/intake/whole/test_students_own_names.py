"""Slow tests of the same subject as ``test_students_own_names``, for CI and `make test WHOLE=1`."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autograder.platforms.discover import find_submissions

from ..downloads import STUBS
from ..makers import folder_of
from ..test_students_own_names import KNOWN, UNKNOWN, assert_each_has_their_own, kept_by_canvas

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
        entries = find_submissions([root / place for place in batch], STUBS, earlier=earlier).submissions
        assert all(names.get(entry.path, entry.name) == entry.name for entry in entries)
        names |= {entry.path: entry.name for entry in entries}
        assert len({name.casefold() for name in names.values()}) == len(names)


awkward = st.lists(
    st.one_of(
        st.sampled_from(
            ["Ann", "LATE", "_2027_02", "_", "-1", " ", ".", "'", "é", "e\u0301", "李", "🦊", "12"]
        ),
        st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs", "Cc")), max_size=5),
    ),
    min_size=1,
    max_size=5,
)


# Canvas cannot say where a name ends in an underscore and a number: the class is then read as plain.
awkward_names = awkward.map("".join).filter(lambda name: not re.search(r"_\d+$", kept_by_canvas(name)))


@pytest.mark.parametrize(("platform", "make"), [*KNOWN, *UNKNOWN])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(awkward_names, min_size=3, max_size=8))
@example(names=["Ann", "Ann", "_2027_02-1"])
def test_whatever_people_are_called_nobody_is_merged(platform, make, names, tmp_path_factory):
    people = {4001 + place: name for place, name in enumerate(["Ada Lovelace", *names])}
    root = tmp_path_factory.mktemp("class")
    discovery = find_submissions([make(root, platform(people))], STUBS)
    assert_each_has_their_own(discovery, people)
