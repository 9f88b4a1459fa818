import os
import zipfile
from pathlib import Path

import pytest

import autograder
from autograder.authoring.reference import write_store
from autograder.course.course import HANDOUT_FILES
from autograder.gradebook import fingerprint as fingerprint_module
from autograder.gradebook.fingerprint import fingerprint_graders, fingerprint_submission


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ada"
    (folder / "week1").mkdir(parents=True)
    (folder / "week1" / "attention_scores.py").write_text("x = 1\n", "utf-8")
    (folder / "notes.txt").write_text("notes", "utf-8")
    return folder


def test_equal_content_has_equal_fingerprints_whenever_it_was_saved(folder):
    before = fingerprint_submission(folder)
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    assert fingerprint_submission(folder) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "notes.txt").rename(folder / "note.txt"),
        lambda folder: (folder / "notes.txt").rename(folder / "week1" / "notes.txt"),
        lambda folder: (folder / "notes.txt").unlink(),
        lambda folder: (folder / "week1" / "empty.py").touch(),
        lambda folder: (folder / "week1" / "attention_scores.py").write_bytes(b"x = 1\r\n"),
    ],
)
def test_any_change_of_content_or_names_changes_the_fingerprint(folder, change):
    before = fingerprint_submission(folder)
    change(folder)
    assert fingerprint_submission(folder) != before


def test_a_file_is_hashed_with_its_name(tmp_path):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1", "utf-8")
    assert fingerprint_submission(tmp_path / "a.py") != fingerprint_submission(tmp_path / "b.py")


def test_two_files_are_never_taken_for_one_that_holds_both(tmp_path):
    first, second = tmp_path / "1" / "s", tmp_path / "2" / "s"
    first.mkdir(parents=True)
    second.mkdir(parents=True)
    (first / "a").write_bytes(b"x\0s/b\0y")
    (second / "a").write_bytes(b"x")
    (second / "b").write_bytes(b"y")
    assert fingerprint_submission(first) != fingerprint_submission(second)


def test_a_zip_is_hashed_as_it_lies_there(tmp_path):
    path = tmp_path / "ada.zip"
    prints = set()
    for text in ("x = 1", "x = 2"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("attention_scores.py", text)
        prints.add(fingerprint_submission(path))
    assert len(prints) == 2


def test_a_name_that_is_no_utf8_is_hashed(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py"))
    path.write_text("x = 1", "utf-8")
    assert fingerprint_submission(path) != fingerprint_submission(tmp_path)


def test_what_no_grader_reads_counts_by_its_name_alone(folder):
    before = fingerprint_submission(folder)
    (folder / "notes.txt").write_text("Notes", "utf-8")
    assert fingerprint_submission(folder) == before


def test_an_unreadable_file_counts_by_its_name(folder, monkeypatch):
    before = fingerprint_submission(folder)

    def refuse(*arguments, **more):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("os.open", refuse)
        locked = fingerprint_submission(folder)
    assert locked != before
    week = folder / "week1"
    (week / "attention_scores.py").rename(week / "attention.py")
    assert fingerprint_submission(folder) != locked


def test_a_pipe_or_a_broken_link_does_not_block(folder):
    before = fingerprint_submission(folder)
    os.mkfifo(folder / "pipe.py")
    (folder / "nowhere.py").symlink_to(folder / "no such file")
    assert isinstance(fingerprint_submission(folder), str)
    assert len(fingerprint_submission(folder)) == len(before)


def graders(tiny, seed=0, homeworks=()):
    return fingerprint_graders(tiny.course, seed, homeworks)


def test_the_graders_are_the_same_until_something_changes(tiny):
    before = graders(tiny)
    for path in tiny.folder.iterdir():
        os.utime(path, (1, 1))
    assert graders(tiny) == before


def test_the_order_of_chosen_homeworks_does_not_matter(tiny):
    assert graders(tiny, homeworks=("a", "b")) == graders(tiny, homeworks=("b", "a"))


def test_seed_and_choice_change_the_graders(tiny):
    prints = {
        graders(tiny),
        graders(tiny, seed=1),
        graders(tiny, homeworks=("hwx",)),
        graders(tiny, homeworks=("hwy",)),
    }
    assert len(prints) == 4


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cases.py", '"wide", 5', '"wide", 6'),
        ("homework.toml", "points = 3\n", "points = 4\n"),
        ("doubles.py", "factor = 2", "factor = 3"),
    ],
)
def test_every_file_that_decides_a_grade_changes_the_graders(tiny, name, old, new):
    before = graders(tiny)
    tiny.edit(name, old, new)
    assert graders(tiny) != before


def test_limits_of_the_whole_course_change_the_graders(tiny):
    before = graders(tiny)
    tiny.course.defaults.write_text("[limits]\nmemory_mb = 512\n", "utf-8")
    assert graders(tiny) != before


def test_the_reference_outputs_count_by_their_manifest(tiny):
    before = graders(tiny)
    write_store(tiny.store, tiny.homework, [])
    assert graders(tiny) != before


def test_a_changed_check_or_engine_file_changes_the_graders(tiny, tmp_path, monkeypatch):
    package = tmp_path / "autograder"
    (package / "checks").mkdir(parents=True)
    (package / "checks" / "run.py").write_text("points = 1", "utf-8")
    monkeypatch.setattr(fingerprint_module, "PACKAGE", package)
    before = graders(tiny)
    (package / "checks" / "run.py").write_text("points = 2", "utf-8")
    assert graders(tiny) != before


def test_the_engine_that_counts_is_this_package():
    assert Path(autograder.__file__).parent == fingerprint_module.PACKAGE


def test_another_version_of_a_library_changes_the_graders(tiny, monkeypatch):
    """float(k.T @ q) works in one version of NumPy and raises in the next."""
    before = graders(tiny)
    monkeypatch.setattr(fingerprint_module, "version", lambda name: "0.0")
    assert graders(tiny) != before


def test_a_file_of_the_engine_counts_whatever_it_is_called(tiny, tmp_path, monkeypatch):
    package = tmp_path / "autograder"
    (package / "handouts").mkdir(parents=True)
    monkeypatch.setattr(fingerprint_module, "PACKAGE", package)
    before = graders(tiny)
    (package / "handouts" / "example.py").write_text("points = 2", "utf-8")
    assert graders(tiny) != before


def test_handouts_and_caches_do_not_change_the_graders(tiny):
    before = graders(tiny)
    (tiny.folder / "handout.md").write_text("new words {{ tasks }}", "utf-8")
    for name in HANDOUT_FILES:
        (tiny.folder / name).write_text("words = 'new'", "utf-8")
    (tiny.folder / "__pycache__").mkdir()
    (tiny.folder / "__pycache__" / "cases.cpython-311.pyc").write_bytes(b"x")
    assert graders(tiny) == before
