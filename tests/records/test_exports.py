import csv

import pytest
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission

from autograder.intake.csv_table import unescape_formulas
from autograder.report.exports import GradeRow, write_grades, write_submission
from autograder.sandbox.report import Status

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
