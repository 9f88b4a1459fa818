"""The public checks on a student's machine take other forms as grading does."""

from __future__ import annotations

import pytest
from forms import COSTS, Changed, all_changed

from autograder.course.course import Course
from autograder.verdict.checks import Outcome
from autograder.verdict.results import most_fundamental

from .conftest import Released


@pytest.mark.parametrize("submission", [pytest.param(one, id=one.id) for one in all_changed()])
def test_another_form_costs_the_published_check_and_no_more(submission: Changed, students: Released) -> None:
    report = students.check(submission.homework_id, submission.text)
    [failed] = [one for one in report.results if one.outcome is not Outcome.PASSED]
    assert failed.task == submission.task
    assert failed.points == COSTS[submission.homework_id, submission.task]


def test_another_order_is_looked_at_before_what_stops_because_of_it(
    students: Released, course: Course
) -> None:
    homework = course.homework("hw2")
    right, other = "return Q, K, V", "return K, V, Q"
    text = homework.solution.read_text(encoding="utf-8")
    assert text.count(right) == 1
    results = students.check(homework.id, text.replace(right, other)).results
    assert any(one.kind == "raised" for one in results)
    first = most_fundamental(results)
    assert first is not None
    assert first.check == "project_qkv_published"
