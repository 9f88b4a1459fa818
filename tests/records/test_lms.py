"""Points by student, the tables that Canvas and Moodle import, and what is known of the last export."""

import csv
import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest
from results import homework_grade, submission_grade
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from wording import to_staff

from autograder.cli.status import next_step
from autograder.csv_table import unescape_formulas
from autograder.gradebook.opening import open_gradebook
from autograder.intake.roster import Roster, Student, match_roster
from autograder.intake.submission import Owner
from autograder.platforms.canvas import Canvas
from autograder.platforms.grades import above_maximum, graded_in, grades_of, write_unmatched
from autograder.platforms.moodle import Moodle
from autograder.platforms.platform import ExportError
from autograder.policy.policy import Policy
from autograder.report.exports import GradeRow, write_grades, write_submission
from autograder.report.last_exports import (
    EXPORTS,
    TOTAL,
    exported_points,
    keep_export,
    last_exports,
    outdated_exports,
)
from autograder.report.situation import ClassSituation
from autograder.sandbox.report import Status

from .rosters import CANVAS, MOODLE, PLAIN, roster_of, table, with_points

ADA, BO, CY = (Student(name.title(), login=name, line=n) for n, name in enumerate(("ada", "bo", "cy"), 2))
CLASS = Roster("roster.csv", "plain", (), (ADA, BO, CY))


def points(*results, homework=None, missing=None):
    grade_lines = grades(*graded_in(results, homework), missing=missing)
    return {grade.student.login: grade.points for grade in grade_lines}


def grades(*results, missing=None):
    matching = match_roster({result.name: None for result in results}, CLASS)
    return grades_of(CLASS, matching, results, missing=missing)


def test_students_get_the_total_of_their_submission_and_others_a_blank():
    grade_lines = points(
        submission("ada", homework(), homework(homework="hwy")), submission("bo", homework())
    )
    assert grade_lines == {"ada": 2, "bo": 1, "cy": None}


def test_points_of_one_homework_can_be_asked_for():
    both = submission("ada", homework(), homework(homework="hwy", checks=()))
    assert points(both, submission("bo", homework()), homework="hwy") == {"ada": 0, "bo": None, "cy": None}


def test_points_that_a_policy_changed_are_the_ones_that_count():
    assert points(submission("ada", homework(final=0.5)))["ada"] == 0.5


def test_missing_students_get_a_zero_only_when_asked_and_our_fault_never_does():
    grade_lines = points(submission("ada", ours()), submission("bo", fault="Traceback"), missing=0.0)
    assert grade_lines == {"ada": None, "bo": None, "cy": 0.0}
    both = submission("ada", homework()), submission("bo", fault="Traceback")
    assert points(*both, homework="hwx", missing=0.0) == {"ada": 1, "bo": None, "cy": 0.0}


@pytest.mark.parametrize("homework_id", [None, "hwx"])
def test_what_could_not_be_graded_is_blank_for_any_homework_also_where_missing_ones_get_a_zero(homework_id):
    unclear = submission("bo")
    grade_lines = points(submission("ada", homework()), unclear, homework=homework_id, missing=0.0)
    assert grade_lines == {"ada": 1, "bo": None, "cy": 0.0}


def test_points_of_what_nobody_was_graded_in_are_refused():
    for result in (submission("ada", homework()), submission("bo", fault="Traceback")):
        with pytest.raises(ExportError):
            points(result, homework="hwy", missing=0.0)


def test_who_may_have_handed_in_what_matches_nobody_gets_a_blank():
    twice = {"ada": Owner("bo"), "bo": Owner("bo")}
    matching = match_roster(twice, CLASS)
    grade_lines = grades_of(CLASS, matching, [submission("ada"), submission("bo")], missing=0.0)
    assert [grade.points for grade in grade_lines] == [0.0, None, 0.0]


def test_a_comment_tells_points_and_status_in_the_courses_words():
    ada, bo, _ = grades(submission("ada", homework(), ours(homework="hwy")), submission("bo"))
    assert ada.comment == (to_staff["lms.doubles-and-totals-graded"])
    assert bo.comment == ""


def test_what_matches_nobody_and_who_has_nothing_are_listed_and_are_no_formulas(tmp_path):
    matching = match_roster({"=x": None, "ada": None}, CLASS)
    write_unmatched(tmp_path / "u.csv", matching, {ADA.line: "no ID"})
    assert table(tmp_path / "u.csv") == [
        ["what", "who", "why"],
        ["submission", "'=x", to_staff["lms.no-student-with-x"]],
        ["student", "Bo (bo)", to_staff["lms.no-submission"]],
        ["student", "Cy (cy)", to_staff["lms.no-submission"]],
        ["student", "Ada (ada)", "no ID"],
    ]


def written(tmp_path, text, *points, column="Scores (4711)"):
    roster = roster_of(tmp_path, text)
    Canvas().write_grades(tmp_path, roster, with_points(roster, *points), column)
    return table(tmp_path / "canvas.csv")


def test_an_export_of_canvas_comes_back_with_one_assignment_filled_in(tmp_path):
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


def test_a_student_without_points_keeps_the_grade_in_canvas_which_a_blank_would_delete(tmp_path):
    rows = written(tmp_path, CANVAS, None, None)
    assert [row[-1] for row in rows[2:]] == ["18.00", ""]


def test_any_other_roster_gets_the_columns_that_canvas_asks_for(tmp_path):
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


def test_an_assignment_that_canvas_does_not_have_is_refused_with_those_it_has(tmp_path):
    with pytest.raises(ExportError, check=to_staff["canvas.no-assignment-score-one"]):
        written(tmp_path, CANVAS, None, None, column="Score")


def test_a_name_that_is_a_formula_becomes_text_and_the_id_stays_exact(tmp_path):
    rows = written(tmp_path, CANVAS.replace('"Lovelace, Ada"', "=HYPERLINK(1)"), 1, 2)
    assert rows[2][:2] == ["'=HYPERLINK(1)", "12"]


def test_who_could_only_be_found_by_name_or_by_a_formula_is_left_out(tmp_path):
    text = "student_id,email,name\n,ada@example.org,Ada\n=S13,,Zoë\nS14,,Bo\n"
    roster = roster_of(tmp_path, text)
    left_out = Canvas().write_grades(tmp_path, roster, with_points(roster, 1, 2, 3), "Scores").left_out
    assert [row[0] for row in table(tmp_path / "canvas.csv")] == ["Student", "Bo"]
    assert left_out[2].startswith("Canvas finds nobody without ID")
    assert left_out[3].startswith("a spreadsheet would take the ID for a formula")


def test_points_above_those_possible_are_told_and_so_is_another_scale(tmp_path):
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


def test_a_column_that_canvas_computes_is_no_assignment_whatever_an_assignment_is_called(tmp_path):
    text = CANVAS.replace("Blocks (4712)", "Final Score guessed (4712)")
    with pytest.raises(ExportError):
        written(tmp_path, text, 1, 2, column="Current Score")
    assert written(tmp_path, text, 1, 2, column="Final Score guessed (4712)")[2][-1] == "1"


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


HW1 = homework_grade(homework="hw1")
HW2 = homework_grade(homework="hw2")
GRADE_OF_ADA = submission_grade("ada", HW1, HW2)
LESS = submission_grade("ada", replace(HW1, final=0.5), HW2)


def test_an_export_replaces_the_one_before_in_the_same_column_only(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1", "Trial", {"s1": 2.0})
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1", "Week 1", {"s1": None})
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1")
        assert exported_points(book, "moodle", "hw1", "Week 1") == {"s1": None}
        assert exported_points(book, "moodle", "hw1", "Trial") == {"s1": 2.0}
        assert exported_points(book, "moodle", "hw2", "Week 1") is None
        columns = [(export.column, export.is_feedback) for export in last_exports(book)]
        assert columns == [("Trial", False), ("Week 1", False), ("", True)]


def test_points_of_an_earlier_homework_are_outdated_after_the_export_of_a_later_one(tmp_path):
    with open_gradebook(tmp_path) as book:
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw2", "Week 2", {"s1": 1.0})
        exports = last_exports(book)
        assert outdated_exports(exports, [GRADE_OF_ADA]) == []
        assert outdated_exports(exports, [LESS]) == ["hw1"]
        keep_export(book, [LESS], "moodle", "hw1", "Week 1", {"s1": 0.5})
        assert outdated_exports(last_exports(book), [LESS]) == []


def test_exports_of_an_earlier_version_are_still_known(tmp_path):
    with open_gradebook(tmp_path) as book:
        row = '{"platform": "moodle", "what": "hw1", "is_feedback": false, "when": "2027-02-01T00:00:00Z"'
        book.set(EXPORTS, f'[{row}, "digest": "0"}}]')
        [export] = last_exports(book)
        assert (export.platform, export.what, export.points) == ("moodle", "hw1", None)
        assert export.when == dt.datetime(2027, 2, 1, tzinfo=dt.UTC)


def situation(book, *, grade=GRADE_OF_ADA):
    exports = last_exports(book)
    return ClassSituation(
        statuses={Status.GRADED: 1},
        graded={"hw1": 1, "hw2": 1},
        unmarked={},
        failed=(),
        unclear=(),
        empty=(),
        outdated=(),
        without_time=(),
        nobodys=(),
        withdrawn={},
        unfinished=None,
        policy=Policy(),
        exports=exports,
        outdated_exports=outdated_exports(exports, [grade]),
    )


def test_the_next_command_exports_what_was_not_or_has_changed(tmp_path):
    def command(grade=GRADE_OF_ADA):
        return next_step(Path("graded"), situation(book, grade=grade), None, "")[0]

    with open_gradebook(tmp_path) as book:
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw1", "Week 1", {"s1": 1.0})
        assert command() == "autograder export graded --to moodle --roster CSV --homework hw2"
        keep_export(book, [GRADE_OF_ADA], "moodle", "hw2", "Week 2", {"s1": 1.0})
        assert command().startswith("nothing")
        assert command(LESS) == "autograder export graded --to moodle --roster CSV --homework hw1"
    with open_gradebook(tmp_path / "other") as book:
        keep_export(book, [GRADE_OF_ADA], "moodle", TOTAL, "All", {"s1": 1.0})
        assert command().startswith("nothing")
        assert command(LESS) == "autograder export graded --to moodle --roster CSV --total"


IDS = ["hwx", "hwy"]


def rows(tmp_path, *results, maximum=11):
    path = tmp_path / "grades.csv"
    write_grades(path, list(map(GradeRow.of, results)), IDS, maximum)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_rows_are_sorted_by_submission_below_fixed_columns(tmp_path):
    results = [submission(name) for name in ("cleo", "ada", "bob")]
    head, *others = rows(tmp_path, *results)
    assert head == ["submission", "status", "hwx", "hwy", "total", "max"]
    assert [row[0] for row in others] == ["ada", "bob", "cleo"]


@pytest.mark.parametrize(
    ("result", "row"),
    [
        (submission("ada", homework(homework="hwy"), homework(status=Status.CRASHED)), "crashed,1,1,2,11"),
        (submission("ada", homework()), "graded,1,,1,11"),
        (submission("ada"), "not_submitted,,,0,11"),
        (submission("ada", homework(), ours(homework="hwy")), "infrastructure_error,1,,,11"),
        (submission("ada", fault="Traceback"), "infrastructure_error,,,,11"),
        (submission("ada", homework(checks=(), points=0.5, final=0.50)), "graded,0.5,,0.5,11"),
    ],
    ids=["both", "one not handed in", "nothing handed in", "our fault", "our fault in all", "half points"],
)
def test_a_row_has_status_and_points_and_a_blank_where_there_are_none(tmp_path, result, row):
    assert rows(tmp_path, result)[1] == ["ada", *row.split(",")]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")'])
def test_a_name_that_a_spreadsheet_would_compute_is_defused(tmp_path, name):
    cell = rows(tmp_path, submission(name))[1][0]
    assert (cell[0], unescape_formulas(cell)) == ("'", name)


@pytest.mark.parametrize(
    "name", ["two\nlines", "Lovelace, Ada", 'Ada "the first"', "ünï 🎓", "a;b", "a=b", " ", "ada\udcff"]
)
def test_other_names_come_back_as_they_were_or_escaped(tmp_path, name):
    assert rows(tmp_path, submission(name))[1][0] == name.replace("\udcff", r"\udcff")


def test_the_file_is_utf8_without_a_mark_and_with_one_line_per_row(tmp_path):
    rows(tmp_path, submission("zoë"), submission("ada"))
    lines = (
        "submission,status,hwx,hwy,total,max",
        "ada,not_submitted,,,0,11",
        "zoë,not_submitted,,,0,11",
        "",
    )
    assert (tmp_path / "grades.csv").read_bytes() == "\r\n".join(lines).encode()


def test_a_submission_gets_results_and_feedback_in_a_folder_of_its_name(tmp_path):
    write_submission(tmp_path, submission("zoë (2)", homework()))
    folder = tmp_path / "submissions" / "zoë (2)"
    assert sorted(path.name for path in folder.iterdir()) == ["feedback.html", "results.json"]


def test_a_submission_is_written_over_an_earlier_one(tmp_path):
    write_submission(tmp_path, submission("ada", homework()))
    first = (tmp_path / "submissions" / "ada" / "results.json").read_text("utf-8")
    write_submission(tmp_path, submission("ada"))
    assert (tmp_path / "submissions" / "ada" / "results.json").read_text("utf-8") != first
