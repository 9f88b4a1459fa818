"""Draw a submission's files in the process that graded it, so that the one which keeps the grades only writes them.

What a worker draws shows the submission as the policy alone settles it. That is right for nearly all:
nobody decides anything about a submission that is graded for the first time. ``write_graded`` compares, and draws
again where the gradebook knows more.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields, replace
from functools import cached_property

from autograder.course.course import Course
from autograder.feedback.pages import feedback_page
from autograder.feedback.rendering import warm_templates
from autograder.feedback.results_json import results_text
from autograder.gradebook.gradings import as_stored, without_behaviours
from autograder.policy.grade import SubmissionGrade
from autograder.policy.policy import Policy
from autograder.policy.settlement import Settlement, by_policy
from autograder.report.submission_page import Aside, state_of, submission_page
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import SubmissionResult


@dataclass(frozen=True)
class Drawn:
    """What is in the files of a submission, as bytes: ``results.json``, the student's and the staff's page."""

    results: bytes
    feedback: bytes
    page: bytes


@dataclass(frozen=True, kw_only=True)
class DrawnResult(SubmissionResult):
    """A result with its files, and the state that they show; see ``Drawing``."""

    drawn: Drawn
    state: str

    def shows(self, whole: SubmissionResult) -> bool:
        """Return whether the files show this, which is all that a gradebook holds of the submission."""
        return whole == without_behaviours(without_files(self))


@dataclass(frozen=True)
class Drawing:
    """Draws the files of results by a course's policy. It is plain data, which can be sent to a worker."""

    course: Course
    policy: Policy

    def warm(self) -> None:
        """Load what is needed to draw, so that workers which are forked from this process have it."""
        warm_templates()

    @cached_property
    def _settlement(self) -> Settlement:
        return by_policy(self.policy, self.course)

    def draw(self, result: SubmissionResult) -> SubmissionResult:
        """Return the result with its files, or alone where an explanation on them fails: that is told elsewhere."""
        with recording_faults() as faults:
            drawn, state = draw_graded(as_stored(result), self._settlement)
        if faults:
            return result
        return DrawnResult(**vars(result), drawn=drawn, state=state)


def without_files(result: SubmissionResult) -> SubmissionResult:
    """Return a result without the files that a worker may have drawn."""
    values = {
        field.name: getattr(result, field.name) for field in fields(SubmissionResult)
    }
    return SubmissionResult(**values)


def draw_graded(result: SubmissionResult, settlement: Settlement) -> tuple[Drawn, str]:
    """Return the files of a submission that was graded just now, and the state that they show."""
    grade, _ = settlement.apply(result)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return draw(replace(grade, graded_on=today)), state_of(grade, {})


def draw(result: SubmissionGrade, aside: Aside | None = None) -> Drawn:
    """Return what the files of a submission show."""
    results = results_text(result)
    feedback = feedback_page(result)
    page = submission_page(result, aside or {})
    return Drawn(
        results.encode(),
        feedback.encode(),
        page.encode("utf-8", "backslashreplace"),
    )
