"""A second run keeps what is still valid, grades what is not, and forgets what is gone if it is asked to."""

import shutil
import threading

import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder.batch.session import GradingSession
from autograder.cli import batches
from autograder.gradebook.book import Gradebook

from .conftest import RIGHT, TRIPLES
from .running import grade, results_of, totals


@pytest.fixture
def graded(monkeypatch):
    """The names of the submissions that were really graded."""
    names = []
    really_grade = GradingSession.grade

    def remember(self, entry, pool):
        names.append(entry.name)
        return really_grade(self, entry, pool)

    monkeypatch.setattr(GradingSession, "grade", remember)
    return names


def three(kit):
    """Grade a class of three."""
    for name in ("ada", "bob", "cyd"):
        kit.submit(name)
    return grade(kit.submissions, "--out", kit.out)


def test_what_is_graded_is_not_graded_again(kit, graded):
    three(kit)
    before = (kit.out / "grades.csv").read_bytes()
    graded.clear()
    result = grade(kit.submissions, "--out", kit.out)
    assert (result.exit, graded) == (0, [])
    assert to_staff["resume.note-of-already-graded-fresh"] in result.err
    assert (kit.out / "grades.csv").read_bytes() == before
    assert "3 graded" in result.out


def test_changed_and_new_entries_are_graded_and_only_those(kit, graded):
    three(kit)
    graded.clear()
    kit.submit("bob", TRIPLES)
    kit.submit("dan")
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert sorted(graded) == ["bob", "dan"]
    assert totals(kit.out) == {"ada": "5.5", "bob": "2.5", "cyd": "5.5", "dan": "5.5"}
    assert results_of(kit.out, "bob")["score"] == 2.5


def test_a_file_more_or_under_another_name_is_a_change(kit, graded):
    three(kit)
    graded.clear()
    kit.submit("ada", "more = 1\n", "notes.py")
    (kit.submissions / "bob" / "doubles.py").rename(kit.submissions / "bob" / "my_doubles.py")
    grade(kit.submissions, "--out", kit.out)
    assert sorted(graded) == ["ada", "bob"]


def test_fresh_grades_everything_again(kit, graded):
    three(kit)
    graded.clear()
    assert grade(kit.submissions, "--out", kit.out, "--fresh").exit == 0
    assert sorted(graded) == ["ada", "bob", "cyd"]


@pytest.mark.parametrize("changed", ["homework.toml", "doubles.py", "cases.py"])
def test_a_changed_course_grades_everything_again(kit, graded, changed):
    three(kit)
    graded.clear()
    with (kit.tiny.folder / changed).open("a", encoding="utf-8") as file:
        file.write("\n# another line\n")
    grade(kit.submissions, "--out", kit.out)
    assert sorted(graded) == ["ada", "bob", "cyd"]


def test_another_choice_of_homeworks_grades_everything_again(kit, graded):
    three(kit)
    graded.clear()
    grade(kit.submissions, "--out", kit.out, "--homework", HOMEWORK)
    assert sorted(graded) == ["ada", "bob", "cyd"]


@pytest.mark.parametrize("how", ["--resume", "--fresh"])
def test_an_entry_that_is_gone_stays_until_it_is_to_be_forgotten(kit, how):
    three(kit)
    shutil.rmtree(kit.submissions / "bob")
    result = grade(kit.submissions, "--out", kit.out, how)
    assert (result.exit, list(totals(kit.out))) == (0, ["ada", "bob", "cyd"])
    assert to_staff["resume.others-stay"] in result.err
    result = grade(kit.submissions, "--out", kit.out, how, "--forget-missing")
    assert (result.exit, list(totals(kit.out))) == (0, ["ada", "cyd"])
    assert to_staff["resume.others-go"] in result.err
    assert sorted(path.name for path in (kit.out / "submissions").iterdir()) == ["ada", "cyd"]
    assert "bob" not in (kit.out / "report.html").read_text("utf-8")


def test_what_a_person_put_beside_the_results_is_kept(kit):
    three(kit)
    note = kit.out / "submissions" / "bob" / "my notes.txt"
    note.write_text("late by an hour", "utf-8")
    shutil.rmtree(kit.submissions / "bob")
    grade(kit.submissions, "--out", kit.out, "--forget-missing")
    assert sorted(path.name for path in note.parent.iterdir()) == ["my notes.txt"]


def test_files_that_somebody_deleted_are_written_again(kit, graded):
    three(kit)
    shutil.rmtree(kit.out / "submissions")
    (kit.out / "grades.csv").unlink()
    graded.clear()
    grade(kit.submissions, "--out", kit.out)
    assert graded == []
    assert results_of(kit.out, "bob")["score"] == 5.5
    assert (kit.out / "submissions" / "ada" / "feedback.html").is_file()
    assert list(totals(kit.out)) == ["ada", "bob", "cyd"]


# Interrupted with Ctrl-C


def interrupt_at(monkeypatch, name):
    """Press Ctrl-C while the results of one submission are written."""
    really_write = batches.write_graded

    def write(folder, result, *others):
        if result.name == name:
            raise KeyboardInterrupt
        return really_write(folder, result, *others)

    monkeypatch.setattr(batches, "write_graded", write)


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(kit, graded, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt_at(patch, "bob")
        for name in ("ada", "bob", "cyd"):
            kit.submit(name)
        result = grade(kit.submissions, "--out", kit.out, "--jobs", 1)
    assert result.exit == 130
    assert to_staff["resume.note-stopped-every-finished"] in result.err
    assert "Traceback" not in result.err
    graded.clear()
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert "ada" not in graded
    assert totals(kit.out) == {"ada": "5.5", "bob": "5.5", "cyd": "5.5"}


def test_every_grade_has_its_files_wherever_ctrl_c_came(kit, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt_at(patch, "bob")
        three(kit)
    grade(kit.submissions, "--out", kit.out)
    for name in ("ada", "bob", "cyd"):
        assert results_of(kit.out, name)["score"] == 5.5


def test_files_and_gradebook_agree_where_ctrl_c_came_between_them(kit, monkeypatch):
    three(kit)
    kit.submit("bob", TRIPLES)
    with monkeypatch.context() as patch:
        really_write = batches.write_graded

        def write(folder, result, *others):
            really_write(folder, result, *others)
            raise KeyboardInterrupt

        patch.setattr(batches, "write_graded", write)
        assert grade(kit.submissions, "--out", kit.out).exit == 130
    assert results_of(kit.out, "bob")["score"] == float(totals(kit.out)["bob"])


def test_ctrl_c_while_a_grade_is_kept_loses_at_most_that_grade(kit, monkeypatch):
    really_keep = Gradebook.keep

    def keep(self, result, *others):
        if result.name == "bob":
            raise KeyboardInterrupt
        return really_keep(self, result, *others)

    with monkeypatch.context() as patch:
        patch.setattr(Gradebook, "keep", keep)
        assert three(kit).exit == 130
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    assert totals(kit.out) == {"ada": "5.5", "bob": "5.5", "cyd": "5.5"}


def test_after_ctrl_c_nothing_more_is_begun(kit, graded, monkeypatch):
    before = set(threading.enumerate())
    for number in range(12):
        kit.submit(f"student-{number:02}")
    interrupt_at(monkeypatch, "student-00")
    assert grade(kit.submissions, "--out", kit.out, "--jobs", 1).exit == 130
    assert {thread for thread in threading.enumerate() if thread.is_alive()} <= before, "no thread grades on"
    assert len(graded) < 12


def test_a_run_that_was_resumed_equals_one_that_was_not(kit, monkeypatch):
    for name, text in (("ada", RIGHT), ("bob", TRIPLES), ("cyd", RIGHT)):
        kit.submit(name, text)
    whole = kit.root / "whole"
    grade(kit.submissions, "--out", whole, "--seed", 3)
    with monkeypatch.context() as patch:
        interrupt_at(patch, "bob")
        grade(kit.submissions, "--out", kit.out, "--seed", 3)
    grade(kit.submissions, "--out", kit.out, "--seed", 3)
    assert (kit.out / "grades.csv").read_bytes() == (whole / "grades.csv").read_bytes()
    for name in ("ada", "bob", "cyd"):
        assert results_of(kit.out, name) == results_of(whole, name)
