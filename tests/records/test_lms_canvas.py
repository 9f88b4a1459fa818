"""What Canvas imports into its gradebook."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from results import homework_grade as homework
from wording import to_staff

from autograder.platforms.canvas import Canvas
from autograder.platforms.grades import above_maximum
from autograder.platforms.platform import ExportError

from .rosters import CANVAS, PLAIN, roster_of, table, with_points


def written(
    tmp_path: Path, text: str, *points: float | None, column: str = "Scores (4711)"
) -> list[list[str]]:
    roster = roster_of(tmp_path, text)
    Canvas().write_grades(tmp_path, roster, with_points(roster, *points), column)
    return table(tmp_path / "canvas.csv")


def test_an_export_of_canvas_comes_back_with_one_assignment_filled_in(tmp_path: Path) -> None:
    assert written(tmp_path, CANVAS, 17.5, None) == [
        [
            "Student",
            "ID",
            to_staff["canvas.sis-user-id"],
            to_staff["canvas.sis-login-id"],
            "Section",
            "Scores (4711)",
        ],
        [to_staff["canvas.points-possible"], "", "", "", "", "20.00"],
        ["Lovelace, Ada", "12", "S12", "ada", "A, B", "17.5"],
        ["O'Brien, Zoë", "13", "S13", "zoe", "A", ""],
    ]


def test_a_student_without_points_keeps_the_grade_in_canvas_which_a_blank_would_delete(
    tmp_path: Path,
) -> None:
    rows = written(tmp_path, CANVAS, None, None)
    assert [row[-1] for row in rows[2:]] == ["18.00", ""]


def test_any_other_roster_gets_the_columns_that_canvas_asks_for(tmp_path: Path) -> None:
    assert written(tmp_path, PLAIN, 0.0, 5.0) == [
        [
            "Student",
            "ID",
            to_staff["canvas.sis-user-id"],
            to_staff["canvas.sis-login-id"],
            "Section",
            "Scores (4711)",
        ],
        [to_staff["canvas.ada-lovelace"], "", "S12", "", "", "0"],
        ["Zoë O'Brien", "", "S13", "", "", "5"],
    ]


def test_an_assignment_that_canvas_does_not_have_is_refused_with_those_it_has(tmp_path: Path) -> None:
    with pytest.raises(ExportError, check=to_staff["canvas.no-assignment-score-one"]):
        written(tmp_path, CANVAS, None, None, column="Score")


def test_a_name_that_is_a_formula_becomes_text_and_the_id_stays_exact(tmp_path: Path) -> None:
    rows = written(tmp_path, CANVAS.replace('"Lovelace, Ada"', "=HYPERLINK(1)"), 1, 2)
    assert rows[2][:2] == ["'=HYPERLINK(1)", "12"]


def test_who_could_only_be_found_by_name_or_by_a_formula_is_left_out(tmp_path: Path) -> None:
    text = "student_id,email,name\n,ada@example.org,Ada\n=S13,,Zoë\nS14,,Bo\n"
    roster = roster_of(tmp_path, text)
    left_out = Canvas().write_grades(tmp_path, roster, with_points(roster, 1, 2, 3), "Scores").left_out
    assert [row[0] for row in table(tmp_path / "canvas.csv")] == ["Student", "Bo"]
    assert left_out[2].startswith("Canvas finds nobody without ID")
    assert left_out[3].startswith("a spreadsheet would take the ID for a formula")


def test_points_above_those_possible_are_told_and_so_is_another_scale(tmp_path: Path) -> None:
    text = CANVAS.replace("    Points Possible", ",,,,,Manual Posting,,\n    Points Possible")
    roster = roster_of(tmp_path, text)
    ada, zoe = with_points(roster, 15.0, 20.0)
    assert list(above_maximum(Canvas(), roster, [ada, zoe], "Scores (4711)")) == []
    assert list(above_maximum(Canvas(), roster, [ada, zoe], "Current Score")) == []
    assert len(list(above_maximum(Canvas(), roster, [ada, zoe], "Blocks (4712)"))) == 1
    scaled = replace(ada, points=1.0, homeworks=(homework(),))
    assert list(above_maximum(Canvas(), roster, [scaled, zoe], "Scores (4711)")) == [
        to_staff["canvas.not-scaled"]
    ]


def test_a_column_that_canvas_computes_is_no_assignment_whatever_an_assignment_is_called(
    tmp_path: Path,
) -> None:
    text = CANVAS.replace("Blocks (4712)", "Final Score guessed (4712)")
    with pytest.raises(ExportError):
        written(tmp_path, text, 1, 2, column="Current Score")
    assert written(tmp_path, text, 1, 2, column="Final Score guessed (4712)")[2][-1] == "1"
