import csv

import pytest
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission

from autograder.intake.csv_table import plain
from autograder.report.exports import GradeRow, write_grades
from autograder.sandbox.report import Status

IDS = ["hwx", "hwy"]


def rows(tmp_path, *results, maximum=11):
    path = tmp_path / "grades.csv"
    write_grades(path, list(map(GradeRow.of, results)), IDS, maximum)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_columns_are_fixed(tmp_path):
    assert rows(tmp_path) == [["submission", "status", "hwx", "hwy", "total", "max"]]


def test_a_row_gives_status_points_by_homework_total_and_maximum(tmp_path):
    both = submission("ada", homework(homework="hwy"), homework(status=Status.CRASHED))
    assert rows(tmp_path, both)[1] == ["ada", "crashed", "1", "1", "2", "11"]


def test_rows_are_sorted_by_submission(tmp_path):
    results = [submission(name) for name in ("cleo", "ada", "bob")]
    assert [row[0] for row in rows(tmp_path, *results)[1:]] == ["ada", "bob", "cleo"]


def test_a_homework_that_was_not_handed_in_leaves_its_cell_blank(tmp_path):
    assert rows(tmp_path, submission("ada", homework()))[1] == ["ada", "graded", "1", "", "1", "11"]


def test_nothing_handed_in_is_a_zero_in_total(tmp_path):
    assert rows(tmp_path, submission("ada"))[1] == ["ada", "not_submitted", "", "", "0", "11"]


def test_our_fault_leaves_its_cell_and_the_total_blank(tmp_path):
    result = submission("ada", homework(), ours(homework="hwy"))
    assert rows(tmp_path, result)[1] == ["ada", "infrastructure_error", "1", "", "", "11"]


def test_a_fault_of_the_whole_submission_leaves_the_total_blank(tmp_path):
    assert rows(tmp_path, submission("ada", fault="Traceback"))[1] == [
        *("ada", "infrastructure_error", "", "", "", "11")
    ]


def test_half_points_are_written_with_a_point_and_no_needless_zeros(tmp_path):
    [_, row] = rows(tmp_path, submission("ada", homework(checks=())), maximum=5.50)
    assert row[2:] == ["0", "", "0", "5.5"]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")'])
def test_a_name_that_a_spreadsheet_would_compute_is_defused(tmp_path, name):
    cell = rows(tmp_path, submission(name))[1][0]
    assert (cell[0], plain(cell)) == ("'", name)


@pytest.mark.parametrize(
    "name", ["two\nlines", "Lovelace, Ada", 'Ada "the first"', "ünï 🎓", "a;b", "a=b", " "]
)
def test_other_names_come_back_as_they_were(tmp_path, name):
    assert rows(tmp_path, submission(name))[1][0] == name


def test_a_name_that_is_no_utf8_is_escaped(tmp_path):
    assert rows(tmp_path, submission("ada\udcff"))[1][0] == r"ada\udcff"


def test_the_file_is_utf8_without_a_mark_and_with_one_line_per_row(tmp_path):
    rows(tmp_path, submission("zoë"), submission("ada"))
    data = (tmp_path / "grades.csv").read_bytes()
    assert (
        data
        == (
            "submission,status,hwx,hwy,total,max\r\nada,not_submitted,,,0,11\r\nzoë,not_submitted,,,0,11\r\n"
        ).encode()
    )
