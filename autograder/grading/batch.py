"""Grade many entries, several at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.grading.results import SubmissionResult
from autograder.grading.session import GradingSession
from autograder.sandbox.parallel import in_parallel
from autograder.submissions.model import Entry


def grade_batch(session: GradingSession, entries: Sequence[Entry], jobs: int) -> Iterator[SubmissionResult]:
    """Yield each result as it is ready; the order is not fixed, the results do not depend on it."""
    return in_parallel(session.grade, entries, jobs)
