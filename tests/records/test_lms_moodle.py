"""What Moodle imports: its worksheet filled in, or a table for the grader report."""

from dataclasses import replace

from results import homework_grade as homework
from wording import to_staff

from autograder.platforms.grades import above_maximum
from autograder.platforms.moodle import Moodle

from .rosters import MOODLE, PLAIN, roster_of, table, with_points


def test_a_worksheet_comes_back_with_grade_and_comment_and_all_else_as_it_was(tmp_path):
    roster = roster_of(tmp_path, MOODLE)
    ada, zoe = with_points(roster, 4.5, None)
    Moodle().write_grades(tmp_path, roster, [replace(ada, homeworks=(homework(),)), zoe], "Grade")
    before, after = table(tmp_path / "roster.csv"), table(tmp_path / "moodle.csv")
    assert after[0] == before[0]
    assert after[1] == [*before[1][:4], "4.5", *before[1][5:7], "Doubles and totals: 1 of 5.5 (graded)"]
    assert after[2] == [*before[2][:4], "", *before[2][5:]]


def test_any_other_roster_becomes_a_table_with_what_identifies_students(tmp_path):
    roster = roster_of(tmp_path, PLAIN)
    Moodle().write_grades(tmp_path, roster, with_points(roster, 4.5, 0.0), "Week 1")
    assert table(tmp_path / "moodle.csv") == [
        [
            to_staff["moodle.id-number"],
            to_staff["moodle.email-address"],
            to_staff["moodle.full-name"],
            "Week 1",
            "Feedback",
        ],
        ["S12", "ada@example.org", "Ada Lovelace", "4.5", ""],
        ["S13", "zoe@example.org", "Zoë O'Brien", "0", ""],
    ]


def test_every_cell_that_could_be_a_formula_becomes_text(tmp_path):
    roster = roster_of(tmp_path, MOODLE.replace("Ada Lovelace", "=1+1").replace("Ill.", "@SUM(1)"))
    Moodle().write_grades(tmp_path, roster, with_points(roster, 1, None), "Grade")
    cells = [cell for row in table(tmp_path / "moodle.csv") for cell in row]
    assert "'=1+1" in cells
    assert "'@SUM(1)" in cells


def test_who_could_only_be_found_by_a_formula_is_left_out(tmp_path):
    roster = roster_of(tmp_path, PLAIN.replace("S12", "-S12").replace("ada@example.org", ""))
    left_out = Moodle().write_grades(tmp_path, roster, with_points(roster, 1, 2), "Grade").left_out
    assert [row[0] for row in table(tmp_path / "moodle.csv")[1:]] == ["S13"]
    assert list(left_out) == [2]


def test_points_above_the_worksheets_maximum_are_told(tmp_path):
    roster = roster_of(tmp_path, MOODLE)
    students = list(above_maximum(Moodle(), roster, with_points(roster, 5.0, 5.5), "Grade"))
    assert students == [to_staff["moodle.above"]]
    comma = roster_of(tmp_path, MOODLE.replace(",5.00,", ',"5,25",'))
    assert list(above_maximum(Moodle(), comma, with_points(comma, 5.0, 5.5), "Grade")) == students
    plain = roster_of(tmp_path, PLAIN)
    assert list(above_maximum(Moodle(), plain, with_points(plain, 99, 99), "Grade")) == []
