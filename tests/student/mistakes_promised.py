"""Submissions with a known mistake each, checked as on a student's machine and judged as in grading."""

import functools
from collections.abc import Collection, Mapping

from autograder.authoring.corpus import read_corpus, read_losses
from autograder.course.course import find_course
from autograder.reasons.catalogue import CATALOGUE, read_edits
from autograder.student.judge import Report
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult


@functools.cache
def mistaken_texts(homework_id: str) -> Mapping[str, str]:
    """The texts of a homework's known mistakes, by name: those of the catalogue and those of the corpus."""
    course = find_course()
    homework = course.homework(homework_id)
    texts = {}
    if (homework.folder / CATALOGUE).is_file():
        catalogue = read_edits(homework)
        for label in catalogue.mistakes:
            texts[label] = catalogue.solution.edited(catalogue.edits_of([label]))
    for submission in read_corpus(course, homework):
        if not submission.is_right:
            texts[submission.name] = submission.text
    return texts


@functools.cache
def recorded_losses(homework_id: str) -> Mapping[str, frozenset[str]]:
    """The checks that known mistakes lose in grading, by name; `autograder audit` proves what is recorded.

    A few submissions of the corpus say nothing of it, and are missing here.
    """
    course = find_course()
    homework = course.homework(homework_id)
    losses = dict(read_losses(course, homework))
    for submission in read_corpus(course, homework):
        if submission.loses is not None:
            losses[submission.name] = submission.loses
    return losses


def losses_of(result: HomeworkResult) -> frozenset[str]:
    """The checks that were lost in grading."""
    return frozenset(check.check for check in result.checks if not _passes(check))


def broken_promises(report: Report, losses: Collection[str]) -> list[str]:
    """Name the public checks whose outcome on a student's machine is not that of grading.

    Args:
        report: what the student sees.
        losses: the checks that are lost in grading.
    """
    broken = []
    for check in report.results:
        if _passes(check) == (check.check in losses):
            graded = "lost" if check.check in losses else "passed"
            broken.append(f"{check.check}: {check.outcome}, {graded} in grading")
    return broken


def _passes(check: CheckResult) -> bool:
    return check.outcome is Outcome.PASSED
