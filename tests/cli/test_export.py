"""Points for a platform: never zeros for a class that was not graded, never another platform's table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock

import pytest
import typer
from tiny import HOMEWORK
from wording import to_staff

from autograder.cli import export as command
from autograder.gradebook.book import Gradebook
from autograder.gradebook.opening import open_gradebook
from autograder.verdict.results import SubmissionResult

from .conftest import TRIPLES, Kit
from .running import grade, run
from .test_lms import CANVAS_ROSTER, GRADESCOPE_ROSTER, MOODLE_ROSTER, export, table

COLUMN = "Doubles (4711)"
TO_CANVAS = ("--column", COLUMN)
PLAIN = "login,name\nada,Ada Lovelace\nzoe,Zoë O'Brien\nmin,Min Kim\nlu,Lu Late\n"


@pytest.fixture
def graded(kit: Kit) -> Kit:
    """Ada and Zoë of the rosters have 5.5 and 2.5 points, Min and Lu handed in nothing."""
    kit.submit("ada")
    kit.submit("zoe", TRIPLES)
    grade(kit.submissions, "--out", kit.out)
    return kit


def points(kit: Kit, to: str = "moodle", column: str = "Grade") -> list[str]:
    return [row[column] for row in table(kit.out / f"{to}.csv")]


def add_homework(kit: Kit, name: str) -> None:
    """Give the course another homework, which nobody was graded in."""
    folder = shutil.copytree(kit.root / "solutions" / HOMEWORK, kit.root / "solutions" / name)
    (folder / f"test_{HOMEWORK}.py").rename(folder / f"test_{name}.py")
    meta = folder / "homework.toml"
    meta.write_text(meta.read_text("utf-8").replace("doubles.py", "others.py"), "utf-8")


@pytest.mark.parametrize("zero", [(), ("--missing-zero",)])
def test_a_homework_that_was_never_graded_is_an_error_that_names_what_was(
    graded: Kit, zero: tuple[str, ...]
) -> None:
    add_homework(graded, "hwy")
    done = export(graded, "moodle", PLAIN, "--homework", "hwy", *zero)
    assert done.exit == 2
    assert to_staff["export.never-graded"] in done.err
    assert not (graded.out / "moodle.csv").exists()


def test_a_gradebook_without_any_points_gives_nobody_a_zero(kit: Kit) -> None:
    kit.submit("ada", name="photo.jpg")
    grade(kit.submissions, "--out", kit.out)
    done = export(kit, "moodle", PLAIN, "--missing-zero")
    assert done.exit == 2
    assert to_staff["export.nothing-graded"] in done.err


def test_a_homework_that_the_course_no_longer_has_is_exported_from_the_grades(graded: Kit) -> None:
    add_homework(graded, "hwy")
    shutil.rmtree(graded.root / "solutions" / HOMEWORK)
    done = export(graded, "moodle", PLAIN, "--homework", HOMEWORK)
    assert done.exit == 0, done.err
    assert points(graded) == ["5.5", "2.5", "", ""]


def test_how_many_zeros_are_written_is_said(graded: Kit) -> None:
    done = export(graded, "moodle", PLAIN, "--missing-zero")
    assert points(graded) == ["5.5", "2.5", "0", "0"]
    assert to_staff["export.zeros"] in done.err


def test_zeros_for_most_of_a_class_are_asked_about_on_a_terminal(
    graded: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    roster = PLAIN + "bo,Bo\n"

    def answer(question: str, **_: object) -> None:
        asked.append(question)
        raise typer.Abort

    monkeypatch.setattr(sys, "stdin", Mock(isatty=lambda: True))
    monkeypatch.setattr(typer, "confirm", answer)
    assert export(graded, "moodle", PLAIN, "--missing-zero").exit == 0
    assert asked == []
    assert export(graded, "moodle", roster, "--missing-zero").exit == 1
    assert asked == [to_staff["export.write-zeros"]]
    assert len(points(graded)) == 4, "the table of before is still there"


def test_who_may_have_handed_in_what_matches_nobody_surely_gets_no_zero(graded: Kit) -> None:
    roster = PLAIN + "ada,Ada King\n"  # a login listed twice, so nobody knows which row is Ada's
    done = export(graded, "moodle", roster, "--missing-zero")
    assert points(graded) == ["", "2.5", "0", "0", ""]
    assert to_staff["export.blank-in-doubt"] in done.err


def test_zeros_beside_submissions_of_nobody_come_with_a_warning(graded: Kit) -> None:
    graded.submit("min_kim_hw")
    grade(graded.submissions, "--out", graded.out)
    done = export(graded, "moodle", PLAIN, "--missing-zero")
    assert to_staff["export.zeros-in-doubt"] in done.err


def test_nobody_gets_a_zero_whom_grading_did_not_reach(graded: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gradebook, "unfinished", lambda _: (2, 4))
    partial = export(graded, "moodle", PLAIN)
    assert partial.exit == 0
    assert to_staff["export.stopped"] in partial.err
    done = export(graded, "moodle", PLAIN, "--missing-zero")
    assert done.exit == 2
    assert to_staff["export.unfinished"] in done.err


def test_a_check_that_ended_grading_at_once_does_not_forbid_zeros(graded: Kit) -> None:
    graded.tiny.edit("test_hwx.py", "import check\n", "import check, no_such_name\n")
    assert grade(graded.submissions, "--out", graded.out).exit != 0
    done = export(graded, "moodle", PLAIN, "--missing-zero")
    assert done.exit == 0
    assert to_staff["export.stopped"] not in done.err
    assert points(graded) == ["5.5", "2.5", "0", "0"]


@pytest.mark.parametrize("zero", [(), ("--missing-zero",)])
def test_the_roster_of_another_class_is_an_error_and_no_zeros(graded: Kit, zero: tuple[str, ...]) -> None:
    done = export(graded, "moodle", "login,name\nkim,Kim\nlee,Lee\n", *zero)
    assert done.exit == 2
    assert to_staff["export.another-class"] in done.err
    assert not (graded.out / "moodle.csv").exists()


def alter(patch: pytest.MonkeyPatch, change: Callable[[SubmissionResult], SubmissionResult]) -> None:
    """Let exports find other results in the gradebook."""
    real = command.settle
    found = lambda *of: Mock(grades=lambda: map(change, real(*of).grades()))  # noqa: E731
    patch.setattr(command, "settle", found)


def test_a_fault_of_ours_is_a_blank_for_any_homework_and_never_a_zero(
    graded: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    alter(monkeypatch, lambda one: replace(one, fault="x", homeworks=()) if one.name == "zoe" else one)
    for more in ((), ("--homework", HOMEWORK)):
        export(graded, "moodle", PLAIN, "--missing-zero", *more)
        assert points(graded) == ["5.5", "", "0", "0"]


def test_whose_grade_in_canvas_is_repeated_is_said(graded: Kit) -> None:
    lines = []
    for line in CANVAS_ROSTER.splitlines():
        if "Kim" in line:
            line = line.replace(",kim,A,", ",kim,A,4.00")
        lines.append(line)
    done = export(graded, "canvas", "\n".join(lines) + "\n", *TO_CANVAS)
    assert points(graded, "canvas", COLUMN)[1:4] == ["5.5", "2.5", "4.00"]
    [said] = [line for line in done.err.splitlines() if "repeats the grade" in line]
    assert "Kim" in said
    assert "Ada" not in said


@pytest.mark.parametrize(
    ("to", "roster"),
    [
        ("canvas", MOODLE_ROSTER),
        ("canvas", GRADESCOPE_ROSTER),
        ("moodle", CANVAS_ROSTER),
        ("moodle", GRADESCOPE_ROSTER),
        ("gradescope", CANVAS_ROSTER),
    ],
)
def test_the_table_of_another_platform_is_refused(graded: Kit, to: str, roster: str) -> None:
    done = export(graded, to, roster, "--column", "x", "--missing-zero")
    assert done.exit == 2
    assert f"--to {to}" in done.err
    assert not (graded.out / f"{to}.csv").exists()


def test_the_refusal_says_what_the_table_is_and_what_fits(graded: Kit) -> None:
    done = export(graded, "canvas", MOODLE_ROSTER, *TO_CANVAS)
    assert to_staff["export.another-platform"] in done.err


def test_points_above_the_maximum_of_canvas_are_told(graded: Kit) -> None:
    done = export(graded, "canvas", CANVAS_ROSTER.replace("5.50", "5.00"), *TO_CANVAS)
    assert done.exit == 0
    assert points(graded, "canvas", COLUMN)[1:3] == ["5.5", "2.5"]
    assert to_staff["export.over-canvas"] in done.err
    assert to_staff["export.not-scaled"] in done.err
    assert "scaled" not in export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS).err


def test_a_worksheet_has_one_column_for_points_and_takes_no_other(graded: Kit) -> None:
    done = export(graded, "moodle", MOODLE_ROSTER.replace("ada@example.org", "ada"), "--column", "Points")
    assert done.exit == 2
    assert to_staff["export.own-column"] in done.err


def test_a_column_that_canvas_computes_is_no_assignment(graded: Kit) -> None:
    roster = CANVAS_ROSTER.replace(COLUMN, "Final Score")
    done = export(graded, "canvas", roster, "--column", "Final Score")
    assert done.exit == 2
    assert "has no assignment 'Final Score'" in done.err


def test_a_column_that_is_missing_is_refused_with_those_that_are_there(graded: Kit) -> None:
    done = export(graded, "canvas", CANVAS_ROSTER)
    assert done.exit == 2
    assert to_staff["export.no-column"] in done.err


def test_a_dry_run_says_whose_points_changed_and_writes_nothing(graded: Kit) -> None:
    first = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS, "--dry-run")
    assert first.exit == 0
    assert to_staff["export.dry-first"] in first.out
    written = {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()}
    assert not {"canvas.csv", "unmatched.csv"} & {path.name for path in written}

    told = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS)
    assert "changed since" not in told.out
    run("policy", graded.out, "--override", "zoe", "--homework", HOMEWORK, "--points", "4", "--reason", "x")
    before = {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()}
    dry = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS, "--dry-run")
    assert to_staff["export.dry-changed"] in dry.out
    assert {path: path.read_bytes() for path in graded.out.iterdir() if path.is_file()} == before

    again = export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS)
    assert to_staff["export.changed"] in again.out
    assert "changed since the last export: 0" in export(graded, "canvas", CANVAS_ROSTER, *TO_CANVAS).out
    assert "changed since" not in export(graded, "moodle", PLAIN).out, "another platform has its own"


def test_a_dry_run_of_zeros_asks_nothing(graded: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Mock(isatty=lambda: True))
    monkeypatch.setattr(typer, "confirm", Mock(side_effect=AssertionError))
    done = export(graded, "moodle", PLAIN + "bo,Bo\n", "--missing-zero", "--dry-run")
    assert done.exit == 0
    assert "no submission, and so 0 points: 3 of 5 students" in done.err


def test_a_dry_run_of_feedback_writes_none(graded: Kit) -> None:
    roster = MOODLE_ROSTER.replace("ada@example.org", "ada")
    done = export(graded, "moodle", roster, "--feedback", "--dry-run")
    assert done.exit == 0
    assert "moodle_feedback.zip" in done.out
    assert not (graded.out / "moodle_feedback.zip").exists()


def test_an_export_beside_a_grading_is_written_and_says_that_the_next_cannot_compare(graded: Kit) -> None:
    with open_gradebook(graded.out):
        done = export(graded, "moodle", PLAIN)
    assert done.exit == 0
    assert points(graded) == ["5.5", "2.5", "", ""]
    assert "`autograder status` and the next export will not know of this one" in done.err


def test_a_kind_of_note_is_one_line_however_many_students_it_names(graded: Kit) -> None:
    over = export(graded, "canvas", CANVAS_ROSTER.replace("5.50", "2.00"), *TO_CANVAS)
    assert to_staff["export.over-canvas-all"] in over.err
