"""The corpus: right submissions in many styles earn everything, mistaken ones lose exactly what they name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from homeworks import NINE, TEN
from submissions import corpus

from autograder.authoring.corpus import CorpusSubmission
from autograder.course.homework import THEORY
from autograder.verdict.results import HomeworkResult

Grade = Callable[[str, str], HomeworkResult]
HOMEWORKS = tuple(name for name in TEN if name != NINE[-1])
"""The left-out one's answers take long, as the capstone's do; the audit of `make check` grades them too."""


def submissions(is_right: bool) -> list[object]:
    params = []
    for homework_id in HOMEWORKS:
        for submission in corpus(homework_id):
            if submission.is_right == is_right:
                params.append(pytest.param(homework_id, submission, id=f"{homework_id}-{submission.name}"))
    return params


def not_passed(result: HomeworkResult) -> dict[str, str]:
    """The reasons of the checks of tasks that lost points."""
    return {
        check.check: f"{check.reason} {check.staff}"
        for check in result.checks
        if check.reason and check.task != THEORY
    }


@pytest.mark.parametrize(("homework_id", "submission"), submissions(is_right=True))
def test_a_correct_answer_in_any_style_earns_full_marks(
    homework_id: str, submission: CorpusSubmission, grade_text: Grade
) -> None:
    result = grade_text(homework_id, submission.text)
    assert not_passed(result) == {}
    assert result.earned >= result.points  # a variant has the solution's answers to questions too


@pytest.mark.parametrize(("homework_id", "submission"), submissions(is_right=False))
def test_a_mistake_loses_exactly_the_checks_it_names(
    homework_id: str, submission: CorpusSubmission, grade_text: Grade
) -> None:
    result = grade_text(homework_id, submission.text)
    lost = set(not_passed(result))
    assert lost
    assert submission.loses in (None, lost)
