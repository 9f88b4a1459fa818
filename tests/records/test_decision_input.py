import datetime as dt
from types import SimpleNamespace
from typing import cast

import pytest
from results import homework, submission
from wording import to_staff

from autograder.course.course import Course
from autograder.gradebook.decisions import Mark
from autograder.gradebook.opening import open_gradebook
from autograder.policy.decision_input import read_times, take_marks
from autograder.policy.policy import Policy, PolicyError
from autograder.policy.tables import table_rows
from autograder.verdict.checks import CheckResult, Outcome

IDS = ["hwx", "hwy"]
TIME = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)


def table(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    return path


def times(tmp_path, text, zone=None):
    return read_times(table(tmp_path, text), IDS, Policy(zone=zone))


def marks(tmp_path, text):
    return marks_in(table(tmp_path, text), IDS)


def marks_in(path, ids):
    """Those that a gradebook takes, of submissions that the tables below name."""
    course = SimpleNamespace(homework_ids=lambda: ids)
    question = CheckResult("theory_why", "theory", "Why?", 2.0, Outcome.COLLECTED)
    with open_gradebook(path.parent / "out") as book:
        for name in ("'tis", "=ada", "ada", "zoë"):
            book.keep(submission(name, homework(homework="hwx", checks=(question,))), "content", "graders")
        take_marks(book, cast(Course, course), path)
        return book.decisions.marks()


def test_times_are_read_for_all_homeworks_or_for_one(tmp_path):
    text = "submission,homework,submitted_at\nada,,2027-02-05T23:59:00Z\nada,hwy,2027-02-06 00:59+01:00\n"
    assert times(tmp_path, text) == {("ada", ""): TIME, ("ada", "hwy"): TIME}


def test_a_homework_is_named_by_its_beginning(tmp_path):
    ids = ["hw1_scores", "hw2_heads"]
    path = table(tmp_path, "submission,homework,submitted_at\nada,hw2,2027-02-05T23:59:00Z\n")
    assert read_times(path, ids, Policy()) == {("ada", "hw2_heads"): TIME}
    twice = table(tmp_path, "submission,homework,question,points,max\na,hw1,why,1,2\na,hw1_scores,why,1,2\n")
    with pytest.raises(PolicyError, match="line 3"):
        marks_in(twice, ids)


def test_a_time_without_a_zone_takes_that_of_the_policy_and_is_never_guessed(tmp_path):
    text = "submission,submitted_at\nada,2027-02-05 23:59\n"
    assert times(tmp_path, text, dt.UTC) == {("ada", ""): TIME}
    with pytest.raises(PolicyError, match=r"line 2: .*has no time zone"):
        times(tmp_path, text)


def test_the_grades_of_github_classroom_are_read_as_times(tmp_path):
    head = '"assignment_name","github_username","student_repository_name","submission_timestamp","group_name"'
    when = TIME.astimezone(dt.UTC)
    members = "".join(f'hw1,{login},hw1-keys,{when:%Y-%m-%dT%H:%M:%SZ},"The Keys!"\n' for login in "cd")
    text = f"{head}\nhw1,ada,hw1-ada,{when:%Y-%m-%d %H:%M:%S} UTC,\nhw1,bo,hw1-bo,,\n{members}"
    assert times(tmp_path, text) == {("ada", ""): TIME, ("the-keys", ""): TIME}
    with pytest.raises(PolicyError, match="line 2"):
        times(tmp_path, f"{head}\nhw1,ada,hw1-ada,friday,\n")


def test_a_table_saved_by_a_spreadsheet_is_read(tmp_path):
    text = "\ufeffsubmission;submitted_at;note\r\nzoë, ada;2027-02-05T23:59:00Z;x\r\n;;\r\n"
    assert times(tmp_path, text) == {("zoë, ada", ""): TIME}


def test_marks_are_read_with_maximum_and_comment(tmp_path):
    text = "submission,homework,question,max,points,comment\nada,hwx,essay,4,3.5,good\nada,hwx,oral,4,,\n"
    assert marks(tmp_path, text) == [
        Mark("ada", "hwx", "essay", 3.5, 4, "good"),
        Mark("ada", "hwx", "oral", None, 4, ""),
    ]


def test_the_maximum_of_a_known_question_need_not_be_told_and_wins(tmp_path):
    assert marks(tmp_path, "submission,homework,question,points\nada,hwx,why,1\n")[0].maximum == 2
    assert marks(tmp_path, "submission,homework,question,points,max\nada,hwx,why,1,9\n")[0].maximum == 2


def test_an_apostrophe_against_formulas_is_taken_off_again(tmp_path):
    text = "submission,homework,question,points,comment\n'=ada,hwx,why,1,'-1 for the sign\n'tis,hwx,why,1,\n"
    marks_read = marks(tmp_path, text)
    assert [(mark.submission, mark.comment) for mark in marks_read] == [
        ("'tis", ""),
        ("=ada", "-1 for the sign"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("submission,question,points\n", "lacks the column homework; it has: submission, question, points"),
        ("", "lacks the column submission, homework, question, points"),
        ("submission,homework,question,points\nada,hwz,why,1\n", "line 2: there is no homework 'hwz'"),
        ("submission,homework,question,points\n,hwx,why,1\n", "line 2: submission is blank"),
        ("submission,homework,question,points\n\nada,hwx,why,1\nada,hwx,why,-1\n", "line 4: points is '-1'"),
        ('submission,homework,question,points\nada,hwx,why,"1,500"\n', "a number such as 1.5"),
        ("submission;homework;question;points\nada;hwx;why;1,2,3\n", "points is '1,2,3'"),
        ("submission;homework;question;points\nada;hwx;why;3,5\n", "3.5 points are more than the 2 of 'why'"),
        ("submission,homework,question,points\nada,hwx,why,1_0\n", "points is '1_0'"),
        ("submission,homework,question,points\nada,hwx,why,nan\n", "points is 'nan'"),
        ("submission,homework,question,points\nada,hwx,why,3\n", "3 points are more than the 2 of 'why'"),
        ("submission,homework,question,points\nada,hwx,oral,3\n", "add a column max"),
        (
            "submission,homework,question,points\nada,hwx,why,1\nada,hwx,why,2\n",
            "an earlier line has the same values",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, complaint):
    with pytest.raises(PolicyError, match=r"table\.csv") as caught:
        marks(tmp_path, text)
    assert complaint in str(caught.value)


def test_a_time_that_is_none_is_told(tmp_path):
    with pytest.raises(PolicyError, check=to_staff["tables.line-submitted_at-is-friday"]):
        times(tmp_path, "submission,submitted_at\nada,friday\n")


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8"), ("\t", "utf-16"), (",", "utf-8-sig")])
def test_a_table_of_any_country_is_read(tmp_path, separator, encoding):
    rows = [
        ("submission", "homework", "question", "points", "comment"),
        ("zoë", "hwx", "why", "1", "a, b; c"),
    ]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows), encoding)
    [mark] = marks_in(path, IDS)
    assert (mark.submission, mark.points, mark.comment) == ("zoë", 1, "a, b; c")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_points_may_be_written_with_a_decimal_comma(tmp_path, separator):
    rows = [("submission", "homework", "question", "points", "max"), ("ada", "hwx", "oral", "3,5", "10,0")]
    text = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    [mark] = marks(tmp_path, text if separator == "," else text.replace('"', ""))
    assert (mark.points, mark.maximum) == (3.5, 10)


def test_a_row_that_ends_early_has_blank_cells(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("submission,homework,points\nada,hwx\n", "utf-8")
    [(line, row)] = table_rows(path, ["submission"])
    assert (line, row) == (2, {"submission": "ada", "homework": "hwx", "points": ""})
