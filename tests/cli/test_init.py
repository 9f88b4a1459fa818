"""A course from an empty folder, with homeworks of the kit where these are asked for."""

from pathlib import Path

import pytest
from wording import to_authors

from autograder.authoring import new_course
from autograder.authoring.new_course import BEGUN, begin_course
from autograder.course.course import Course, find_course
from autograder.course.homework import CourseError

from .running import run

CHOSEN = ["hw1_attention_scores", "hw9_positions_and_cache"]
OWN = {"README.md", "constraints.txt", ".gitignore", "solutions/course.toml"}


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_an_empty_folder_becomes_a_course_without_homeworks(tmp_path):
    (tmp_path / ".git").mkdir()
    result = run("init", tmp_path)
    assert (result.exit, result.err, files(tmp_path)) == (0, "", OWN)
    command = run("check", "--course", tmp_path)
    assert (command.exit, command.err) == (2, to_authors["course.no-homework-yet"])
    assert run("new", "hw1_words", "--tasks", "count", "--dry-run", "--course", tmp_path).exit == 0


@pytest.mark.parametrize(("homeworks", "unknown"), [("hw1,hw99", "hw99"), ("all,hw1", "all")])
def test_a_homework_that_the_kit_does_not_have_is_refused_before_anything_is_written(
    homeworks, unknown, tmp_path
):
    result = run("init", tmp_path / "own", "--homeworks", homeworks)
    assert (result.exit, (tmp_path / "own").exists()) == (2, False)
    assert f"no homework '{unknown}'" in result.err


@pytest.mark.parametrize("name", ["notes.txt", "own"])
def test_a_folder_with_files_and_a_file_are_refused(name, tmp_path):
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    place = tmp_path / "notes.txt" if name == "notes.txt" else tmp_path
    with pytest.raises(CourseError, check=to_authors["init.not-empty"]):
        begin_course(place, [])
    assert files(tmp_path) == {"notes.txt"}


@pytest.mark.parametrize("moves", range(7))
def test_after_an_interruption_at_any_time_the_next_attempt_begins_again(moves, tmp_path, monkeypatch):
    moves_left = iter(range(moves))
    real = Path.rename

    def rename(path, target):
        if next(moves_left, None) is None:
            raise KeyboardInterrupt
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            begin_course(tmp_path, [CHOSEN[0]])
    with pytest.raises(CourseError):
        find_course(tmp_path)

    begin_course(tmp_path, [CHOSEN[1]])
    assert Course(tmp_path).homework_ids() == CHOSEN[1:]
    assert not [name for name in files(tmp_path) if CHOSEN[0] in name or BEGUN in name]
    with pytest.raises(CourseError, check=to_authors["init.not-empty"]):
        begin_course(tmp_path, [])


def test_the_files_for_students_are_what_the_new_course_makes_of_its_homeworks(tmp_path):
    begin_course(tmp_path, CHOSEN)
    assert run("assignments", "verify", "--course", tmp_path).exit == 0


def test_an_installation_without_homeworks_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(new_course, "PACKAGE_HOME", tmp_path)
    monkeypatch.setattr(new_course.importlib.metadata, "files", lambda name: None)
    with pytest.raises(CourseError, check=to_authors["init.none-installed"]):
        begin_course(tmp_path / "own", ["hw1"])
