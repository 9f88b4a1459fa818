"""Names as students and learning platforms write them, and numbers at the end of a name."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.intake import naming
from autograder.intake.naming import (
    LONGEST_FOLDER,
    as_folder_name,
    homeworks_named_in,
    shortened,
)
from autograder.platforms.canvas import Upload, last_ones
from autograder.untrusted_text import name_in_message, name_to_store

from .makers import is_one_clean_line

STUBS = {
    "hw1": "attention_scores.py",
    "hw2": "self_attention.py",
    "hw4": "self_attention_columns.py",
    "hw5": "multihead_attention.py",
}


@pytest.mark.parametrize(
    "name",
    [
        "multihead_attention.py",
        "multihead_attention.ipynb",
        "Multihead Attention.ipynb",
        "MULTIHEAD-ATTENTION.PY",
        "MultiheadAttention.py",
        "MultiHeadAttention.py",
        "multi-head attention.py",
        "Copy of multihead_attention.ipynb",
        "Copy_of_multihead_attention (1).ipynb",
        "Copy of Copy of Multihead_Attention (2).ipynb",
        "multihead_attention-1.py",
        "multihead_attention_final_FINAL.py",
        "jdoe_12345_multihead_attention-2.py",
        "doejane_LATE_123_456_multihead_attention.ipynb",
        "hw5multihead_attention2.py",
        "Zoë – multihead attention.py",
        "multihead_attention.py.ipynb",
        "multihead__attention .py",
        "JaneMultiheadAttentionFinal.py",
        "\uff4dultihead\uff3fattention.py",
    ],
)
def test_a_renamed_file_is_recognised(name):
    assert homeworks_named_in(name, STUBS) == ("hw5",)


@pytest.mark.parametrize(
    ("name", "homework"),
    [
        ("self_attention.py", "hw2"),
        ("self_attention_columns.py", "hw4"),
        ("Copy of Self Attention Columns.ipynb", "hw4"),
        ("self_attention (columns).py", "hw4"),
        ("jdoe_self_attention_2.py", "hw2"),
    ],
)
def test_the_longest_stub_name_in_a_file_name_counts(name, homework):
    assert homeworks_named_in(name, STUBS) == (homework,)


@pytest.mark.parametrize(
    "name",
    ["attention.py", "myself_attention.py", "self_attentions.py", "scores_attention.py", "x.ipynb", ".py"],
)
def test_parts_of_words_are_no_match(name):
    assert homeworks_named_in(name, STUBS) == ()


def test_homeworks_with_the_same_stub_name_are_all_named():
    assert homeworks_named_in("x_task.py", {"a": "task.py", "b": "task.py"}) == ("a", "b")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.py", "a.py"),
        ("a b.py", "'a b.py'"),
        ("é注.py", "é注.py"),
        ("a\nb", r"'a\nb'"),
        ("a\udcff", r"'a\udcff'"),
        ("", "''"),
    ],
)
def test_names_are_shown_plain_or_quoted(name, written):
    assert name_in_message(name) == written


def test_a_long_name_is_cut_and_one_that_is_longer_than_any_file_s_names_no_stub():
    assert len(name_in_message("x" * 5000)) < 150
    lengths = {length: "multihead_attention.py".rjust(length, "-") for length in (255, 256)}
    assert [homeworks_named_in(name, STUBS) for name in lengths.values()] == [("hw5",), ()]


@pytest.mark.parametrize(
    ("count", "last"), [(20, 19), (21, "and 1 more lines"), (1020, "and 1,000 more lines")]
)
def test_of_many_lines_the_first_twenty_are_reported(count, last):
    lines = shortened(range(count), "lines", str)
    assert (lines[:20], lines[-1]) == (tuple(range(20)), last)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_arbitrary_names_are_shown_on_one_clean_line(name):
    assert is_one_clean_line(name_in_message(name))
    assert name_to_store(name).isprintable()
    homeworks_named_in(name, STUBS)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_a_name_from_a_platform_becomes_one_folder_on_any_system(name):
    folder = as_folder_name(name)
    assert 0 < len(folder.encode()) <= LONGEST_FOLDER
    assert folder.isprintable()
    assert not set(folder) & set('/\\:*?"<>|')
    assert folder.strip(" .") == folder


def test_names_that_fit_stay_as_they_are():
    for name in ("Zoë O'Brien_13", "lovelaceada_12", "O’Neil, 金_0012"):
        assert as_folder_name(name) == name
    assert as_folder_name(".con") == "_con", "the name of a device on Windows"


def test_a_name_that_is_too_long_keeps_its_id():
    assert as_folder_name("é" * 200 + "_1234").endswith("é_1234")
    assert as_folder_name("a" * 79 + ". " * 90 + "_1").endswith("_1")


ONE_STUB = ("attention_scores.py",)


def standing(*names):
    """The name on the platform of each file that counts, by the student's name; uploaded in this order."""
    uploads = [Upload(name, 100 + place) for place, name in enumerate(names)]
    return {name: upload.name for name, upload, _ in last_ones(uploads, ONE_STUB)}


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
    last_uploads = last_ones(uploads, ONE_STUB)
    names = [name for name, _, _ in last_uploads]
    assert len(names) == len(set(names))
    assert sorted(
        [upload.name for _, upload, _ in last_uploads]
        + [name for _, _, earlier in last_uploads for name in earlier]
    ) == sorted(drawn)
    numbers = [upload.number for _, upload, _ in last_uploads]
    assert numbers == sorted(set(numbers))


def test_only_a_stub_whose_letters_are_in_the_name_is_searched_for(monkeypatch):
    searched = []
    really_search = re.finditer

    def search(pattern, text):
        searched.append(pattern)
        return really_search(pattern, text)

    monkeypatch.setattr(naming.re, "finditer", search)
    stubs = {"a": "attention_scores.py", "b": "self_attention.py", "c": "encoder_block.py"}
    assert homeworks_named_in("ada_self_attention_final.py", stubs) == ("b",)
    assert len(searched) == 1
