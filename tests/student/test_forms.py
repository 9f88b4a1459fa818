"""The public checks on a student's machine take other forms as grading does."""

from __future__ import annotations

import pytest
from forms import COSTS, Changed, all_changed

from autograder.judging.checks import Outcome

from .conftest import Released


@pytest.mark.parametrize("submission", [pytest.param(one, id=one.id) for one in all_changed()])
def test_another_form_costs_the_published_check_and_no_more(submission: Changed, students: Released) -> None:
    report = students.check(submission.homework_id, submission.text)
    [failed] = [one for one in report.results if one.outcome is not Outcome.PASSED]
    assert failed.task == submission.task
    assert failed.points == COSTS[submission.homework_id, submission.task]
