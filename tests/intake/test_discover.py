"""Which submissions there are, and what they are called."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.naming import displayed
from autograder.intake.submission import SubmissionError
from autograder.platforms.discover import find_entries

from .makers import folder_of, is_one_clean_line

STUBS = ("attention_scores.py", "self_attention.py")


def names(*paths):
    return [entry.name for entry in find_entries(paths).entries]


@pytest.mark.parametrize(
    ("contents", "paths", "expected"),
    [
        ("jdoe.ipynb", "jdoe.ipynb", ["jdoe"]),
        ("zoe.py bo.zip ada/a.py mia.IPYNB essay.pdf", ".", ["ada", "bo", "essay.pdf", "mia", "zoe"]),
        ("Zoë_von_Ahn/a.py j.doe/a.py", ".", ["Zoë von Ahn", "j.doe"]),
        (".DS_Store __MACOSX/x __pycache__/x Thumbs.db desktop.ini a.py", ".", ["a"]),
        ("alice.zip alice/a.py alice.py bob.py", ".", ["alice", "alice.py", "alice.zip", "bob"]),
        ("A/alice/a.py B/alice/a.py B/bob.py", "A B", ["A-alice", "B-alice", "bob"]),
        ("2026/c/alice.py 2027/c/alice.py", "2026/c 2027/c", ["2026-c-alice", "2027-c-alice"]),
    ],
    ids=[
        "a file has its name without its ending",
        "each entry of a folder is one, sorted by name",
        "spaces, dots and accents stay",
        "the system's own files are none",
        "colliding names keep the full name of the file",
        "names that are still equal get the folder in front",
        "names that are equal for many folders get more of them",
    ],
)
def test_submissions_are_called_like_their_files_as_far_as_these_differ(tmp_path, contents, paths, expected):
    folder_of(tmp_path, {name.replace("_von_", " von "): "" for name in contents.split()})
    assert names(*(tmp_path / path for path in paths.split())) == expected


@pytest.mark.parametrize(
    ("contents", "path", "reason"),
    [
        ([], ["nowhere"], to_staff["discover.no-file-or-folder-nowhere"]),
        ([], ["."], to_staff["discover.empty-put-the-submissions"]),
        ([".DS_Store", "Thumbs.db"], ["."], to_staff["discover.only-files-that-are-ignored"]),
        ([], [], to_staff["discover.no-path-was-named"]),
    ],
)
def test_where_there_is_no_submission_the_error_says_what_to_name(tmp_path, contents, path, reason):
    folder_of(tmp_path, dict.fromkeys(contents, ""))
    with pytest.raises(SubmissionError, check=reason):
        find_entries([tmp_path / name for name in path])


def test_a_name_in_several_folders_is_noted_as_several_submissions(tmp_path):
    folders = [folder_of(tmp_path / week, {"ada/doubles.py": "", "bob.py": ""}) for week in ("w1", "w2")]
    assert find_entries([folders[0]]).notes == ()
    assert find_entries(folders).notes == (to_staff["discover.several-folders"],)


def test_names_that_differ_only_in_case_are_kept_apart(tmp_path):
    folder_of(tmp_path, {"Alice.py": "", "alice.zip": ""})
    if len(os.listdir(tmp_path)) == 2:
        assert names(tmp_path) == ["Alice.py", "alice"]


def test_the_same_file_named_twice_is_read_once_with_a_note(tmp_path):
    folder_of(tmp_path, {"a.py": ""})
    discovery = find_entries([tmp_path, tmp_path / "a.py"])
    assert [entry.name for entry in discovery.entries] == ["a"]
    assert discovery.notes == (to_staff["discover.named-twice-it-is-read-once"],)


def test_beside_other_submissions_an_ignored_folder_is_only_noted(tmp_path):
    folder_of(tmp_path, {"one/.DS_Store": "", "two/a.py": ""})
    discovery = find_entries([tmp_path / "one", tmp_path / "two"])
    assert [entry.name for entry in discovery.entries] == ["a"]
    assert discovery.notes[0] == to_staff["discover.only-files-that-are-ignored-2"]


def test_a_refusal_of_the_system_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SubmissionError, check=to_staff["discover.cannot-be-read-permission"]):
        find_entries([tmp_path])


def test_one_students_folder_is_noticed(tmp_path):
    folder_of(tmp_path / "jdoe", {"attention_scores.py": "", "self_attention.ipynb": ""})
    [note] = find_entries([tmp_path / "jdoe"], STUBS).notes
    assert note == to_staff["discover.jdoe-looks-like-one-students"]


def test_a_students_folder_of_another_week_is_that_student_again(tmp_path):
    folder_of(tmp_path, {f"{place}/attention_scores.py": "" for place in ("week1/ada", "week1/bo")})
    folder_of(tmp_path / "attention_scores", {"attention_scores.py": "", "cy.py": ""})
    earlier = {
        "ada": str(tmp_path / "week2" / "ada"),
        "attention_scores": str(tmp_path / "attention_scores.py"),
    }
    [entry] = find_entries([tmp_path / "week1" / "ada"], STUBS, earlier=earlier).entries
    assert (entry.name, entry.path.name) == ("ada", "ada")
    assert len(find_entries([tmp_path / "attention_scores"], STUBS, earlier=earlier).entries) == 2


def test_one_stub_name_among_submissions_is_nothing_special(tmp_path):
    folder_of(tmp_path, {"attention_scores.py": "", "bob.py": ""})
    assert find_entries([tmp_path], STUBS).notes == ()


@pytest.mark.parametrize(
    "names",
    [
        ["Ada.py", "ada", "ada.zip"],
        ["Zoë.py", "zoe.py"],
        ["ada (1).ipynb", "ada.ipynb"],
        ["ada - Copy.py", "ada.py"],
        ["ada-final.py", "ada_v2.py"],
    ],
)
def test_names_that_may_be_one_students_are_told_and_stay_apart(tmp_path, names):
    folder_of(tmp_path, {**dict.fromkeys(names, ""), "bo.py": "", "bob.py": "", "bo-1.py": ""})
    discovery = find_entries([tmp_path], STUBS)
    assert len(discovery.entries) == len(names) + 3
    [note] = discovery.notes
    assert all(displayed(name) in note for name in names)
    assert "bo" not in note.replace("both", "")


def test_several_students_with_two_files_each_are_one_note(tmp_path):
    folder_of(tmp_path, {f"{who}.{kind}": "" for who in ("ada", "bo", "cy") for kind in ("py", "zip")})
    assert find_entries([tmp_path], STUBS).notes == (to_staff["discover.may-be-one-students"],)


@pytest.mark.parametrize("name", ["attention_scores ({}).ipynb", "homework ({}).ipynb"])
def test_files_of_a_whole_class_that_a_browser_numbered_are_not_one_students(tmp_path, name):
    folder_of(tmp_path, dict.fromkeys(map(name.format, range(1, 9)), ""))
    assert find_entries([tmp_path], STUBS).notes == ()


def test_a_submission_whose_name_begins_with_a_dot_is_told(tmp_path):
    folder_of(tmp_path, {".ann.py": "", "._bo.py": "", ".DS_Store": "", "bo.py": ""})
    discovery = find_entries([tmp_path], STUBS)
    assert [entry.name for entry in discovery.entries] == ["bo"]
    assert discovery.notes == (to_staff["discover.begins-with-a-dot"],)


def test_a_link_that_the_caller_named_is_followed_and_one_in_the_folder_is_not(tmp_path):
    folder_of(tmp_path, {"real/a.py": "", "class/b.py": ""})
    (tmp_path / "latest").symlink_to(tmp_path / "real")
    (tmp_path / "class/c.py").symlink_to(tmp_path / "real/a.py")
    discovery = find_entries([tmp_path / "latest", tmp_path / "class"])
    paths = {entry.name: entry.path for entry in discovery.entries}
    assert paths == {
        "a": tmp_path / "real/a.py",
        "b": tmp_path / "class/b.py",
        "c": tmp_path / "class/c.py",
    }


def test_odd_names_become_printable_and_stay_apart(tmp_path):
    for name in (b"eve\n.py", b"eve\t.py", b"na\xefve.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"")
    found_names = names(tmp_path)
    assert len(set(found_names)) == 3
    assert all(map(is_one_clean_line, found_names))


def test_a_name_of_blanks_alone_becomes_a_name(tmp_path):
    folder_of(tmp_path, {" ": "", "ada.py": ""})
    assert names(tmp_path) == ["_", "ada"]


file_names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=40
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(file_names, min_size=1, max_size=6, unique=True))
def test_no_submission_is_ever_lost_and_names_are_unique(tmp_path_factory, given_names):
    folder = tmp_path_factory.mktemp("class")
    for name in [*given_names, "always.py"]:
        if name not in (".", "..") and len(name.encode()) < 200:
            (folder / name).write_bytes(b"")
    entries = find_entries([folder]).entries
    visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
    ignored = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
    assert {entry.path for entry in entries} == {p for p in visible if p.name.casefold() not in ignored}
    assert len({entry.name.casefold() for entry in entries}) == len(entries)
    assert all(is_one_clean_line(entry.name) for entry in entries)
