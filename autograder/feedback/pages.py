"""The student's page: nothing on it that a student may not see."""

from __future__ import annotations

from dataclasses import replace

from autograder.feedback.rendering import render
from autograder.language import speaking
from autograder.policy.grade import SubmissionGrade
from autograder.verdict.explanation_faults import explaining


def feedback_page(result: SubmissionGrade) -> str:
    """Return the student's page: nothing on it that a student may not see.

    If results cannot be shown, it has only the points and reasons.
    """
    with speaking(result.language):
        with explaining(f"what came out, on the feedback of {result.name}"):
            return render("feedback.html", result=result)
        return render("feedback.html", result=without_work(result))


def without_work(result: SubmissionGrade) -> SubmissionGrade:
    """Return the result without source and exhibits."""
    homeworks = [replace(homework, work=None) for homework in result.homeworks]
    return replace(result, homeworks=tuple(homeworks))
