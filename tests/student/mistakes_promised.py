"""Submissions with a known mistake each, checked as on a student's machine and judged as in grading."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from autograder.authoring.corpus import read_corpus
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


def broken_promises(report: Report, result: HomeworkResult) -> list[str]:
    """Name the public checks whose outcome on a student's machine is not that of grading."""
    graded = {check.check: check for check in result.checks}
    broken = []
    for check in report.results:
        if _passes(check) != _passes(graded[check.check]):
            broken.append(f"{check.check}: {check.outcome}, graded {graded[check.check].outcome}")
    return broken


def _passes(check: CheckResult) -> bool:
    return check.outcome is Outcome.PASSED
