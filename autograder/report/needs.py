"""Find what a human should look at in a submission. No points depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.intake.matching import UNCLEAR
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome
from autograder.verdict.failure import FailureKind
from autograder.verdict.results import UNWRITTEN

NEEDS = {
    "failed": "no fair grade yet, because the grader failed: run the same command again",
    "stopped": "no points, because reading or judging it exceeded the limits",
    "unclear": "unclear which file or which homework it is",
    "exchanged": "two files seem to be exchanged: each defines the tasks of the other's homework",
    "elsewhere": "a file is named like one homework's stub and defines the tasks of another homework",
    "empty": "nothing in it that could be graded",
    "import": "could not be imported",
    "undefined": "a file defines none of its homework's tasks",
    "untouched": "a stub without any work in it",
    "against": "graded by what the file defines, though it is named like another homework's stub",
    "stranger": "matches nobody in the roster",
    "unmarked": "written answers are not marked yet",
    "double": "perhaps two submissions of one student: the same ID, address or name",
}
"""What of a submission a human should look at, most urgent first."""
WITH_PROBLEM = ("failed", "stopped", "unclear", "empty", "import")
"""Needs that a problem of the submission describes in more detail."""
OF_FILES = ("exchanged", "elsewhere", "undefined", "untouched", "against")
"""Needs that ``grade`` reports as well: the student probably meant to hand in something else."""


def needs_of(result: SubmissionGrade) -> Iterator[str]:
    """Yield why a human should look at a submission.

    What an override of a whole homework has settled is left out.
    """
    open_homeworks = []
    for homework in result.homeworks:
        if not homework.is_settled:
            open_homeworks.append(homework)
    settled = len(result.homeworks) - len(open_homeworks)
    statuses = {homework.status for homework in open_homeworks}

    # Of the submission as a whole it is only known that something is wrong, so any settled homework counts;
    # but of two unclear homeworks both have to be settled.
    is_failed = bool(result.fault) and not settled
    for status in statuses:
        if status.is_our_fault:
            is_failed = True
    if is_failed:
        yield "failed"
    if result.stopped is not None and not result.status.is_our_fault and not settled:
        yield "stopped"
    unclear = sum(problem.cause == UNCLEAR for problem in result.problems)
    if unclear > settled:
        yield "unclear"
    if result.status is Status.NOT_SUBMITTED and not unclear and not settled:
        yield "empty"
    if Status.IMPORT_FAILED in statuses:
        yield "import"
    yield from dict.fromkeys(_needs_of_files(open_homeworks))
    if any(homework.awaiting for homework in open_homeworks):
        yield "unmarked"


def _needs_of_files(homeworks: Sequence[HomeworkGrade]) -> Iterator[str]:
    """Yield where the file of a homework is probably not what was meant."""
    fits_of = {homework.homework: homework.fits for homework in homeworks}
    for homework in homeworks:
        is_exchanged = False
        for other in homework.fits:
            if homework.homework in fits_of.get(other, ()):
                is_exchanged = True
        if is_exchanged:
            yield "exchanged"
        elif homework.fits:
            yield "elsewhere"
        else:
            yield from _lack_of_work(homework)
        if homework.named_for:
            yield "against"


def _lack_of_work(homework: HomeworkGrade) -> Iterator[str]:
    """Yield a need where no task is written: the file defines none, or is a stub as it was handed out."""
    kinds = set()
    for check in homework.checks:
        if check.outcome in (Outcome.PASSED, Outcome.COLLECTED, Outcome.NOT_JUDGED):
            return
        if check.kind:  # theory questions have none
            kinds.add(check.kind)
    if homework.status is not Status.GRADED or not kinds or kinds.difference(UNWRITTEN):
        return
    if kinds == {FailureKind.NOT_DEFINED}:
        yield "undefined"
    else:
        yield "untouched"
