"""Grade many entries, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from autograder.grading.crew import grade_in_processes
from autograder.grading.plan import plan_of
from autograder.grading.results import SubmissionResult
from autograder.grading.session import GradingSession
from autograder.sandbox.parallel import in_parallel
from autograder.submissions.model import Entry

WORTH_A_PROCESS = 20
"""Entries per job from which worker processes are quicker: they take a second to start, but threads
share one interpreter, and judging keeps it busy for a third of a NumPy submission's time."""


def always() -> bool:
    """Go on until all entries are graded."""
    return True


def grade_batch(
    session: GradingSession, entries: Sequence[Entry], jobs: int, go_on: Callable[[], bool] = always
) -> Iterator[SubmissionResult]:
    """Yield each result as it is ready; the order is not fixed, the results do not depend on it.

    Once ``go_on`` says no, no more entries are begun; those under way are still finished and yielded.
    """
    todo = takewhile(lambda _: go_on(), entries)
    if jobs > 1 and len(entries) >= jobs * WORTH_A_PROCESS:
        return grade_in_processes(plan_of(session), todo, jobs)
    return in_parallel(session.grade, todo, jobs)
