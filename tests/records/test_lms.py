"""Points by student."""

import pytest
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from wording import to_staff

from autograder.intake.roster import Roster, Student, match_roster
from autograder.intake.submission import Owner
from autograder.platforms.grades import graded_in, grades_of, write_unmatched
from autograder.platforms.platform import ExportError

from .rosters import table

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
