"""Numbers at the end of a file's name: the platform's, or the student's own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.platforms.canvas import Upload, last_ones

STUBS = ("attention_scores.py",)


def standing(*names):
    """The name on the platform of each file that counts, by the student's name; uploaded in this order."""
    uploads = [Upload(name, 100 + place) for place, name in enumerate(names)]
    return {name: upload.name for name, upload, _ in last_ones(uploads, STUBS)}


@pytest.mark.parametrize(
    ("uploads", "expected"),
    [
        (["scores.py"], {"scores.py": "scores.py"}),
        (["scores.py", "scores-1.py", "scores-2.py"], {"scores.py": "scores-2.py"}),
        (["hw.py", *(f"hw-{n}.py" for n in range(1, 12))], {"hw.py": "hw-11.py"}),
        (["attention_scores-1.py"], {"attention_scores.py": "attention_scores-1.py"}),
        (["attention_scores-3.ipynb"], {"attention_scores.ipynb": "attention_scores-3.ipynb"}),
        (
            ["attention_scores-1.py", "helper-1.py"],
            {"attention_scores.py": "attention_scores-1.py", "helper.py": "helper-1.py"},
        ),
    ],
    ids=["alone", "the last one", "numbers as numbers", "a stub", "a stub as notebook", "with its module"],
)
def test_what_was_handed_in_again_gets_its_own_name_back(uploads, expected):
    assert standing(*uploads) == expected


@pytest.mark.parametrize(
    "uploads",
    [
        ["week-1.py"],
        ["part-1.py", "part-2.py"],
        ["hw-1.py", "hw.py"],
        ["attention_scores.py", "helper-1.py"],
        ["hw.py", "hw-1.ipynb"],
    ],
    ids=["a week", "parts", "time speaks against it", "beside a stub that came once", "another kind of file"],
)
def test_a_number_that_is_the_students_own_stays(uploads):
    assert standing(*uploads) == dict(zip(uploads, uploads, strict=True))


def test_two_uploads_of_the_very_same_name_are_told_apart_by_time():
    last_uploads = last_ones([Upload("hw.py", 5), Upload("hw.py", 4)])
    assert [(upload.number, earlier) for _, upload, earlier in last_uploads] == [(5, ("hw.py",))]


names = st.builds(
    "{}{}{}".format,
    st.sampled_from(["hw", "attention_scores", "a b"]),
    st.sampled_from(["", "-1", "-2", "-10", "-0", "--1"]),
    st.sampled_from([".py", ".ipynb", "", ".tar.gz"]),
)


@settings(deadline=None)
@given(st.lists(names, max_size=8))
def test_nothing_is_lost_and_no_two_files_get_one_name(drawn):
    uploads = [Upload(name, number) for number, name in enumerate(drawn)]
    last_uploads = last_ones(uploads, STUBS)
    names = [name for name, _, _ in last_uploads]
    assert len(names) == len(set(names))
    assert sorted(
        [upload.name for _, upload, _ in last_uploads]
        + [name for _, _, earlier in last_uploads for name in earlier]
    ) == sorted(drawn)
    numbers = [upload.number for _, upload, _ in last_uploads]
    assert numbers == sorted(set(numbers))
