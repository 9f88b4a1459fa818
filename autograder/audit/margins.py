"""How far mistakes lie from right answers: each hidden case must separate what it shows at all."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.audit.records import Margin
from autograder.diagnosis.margins import closest_mistake
from autograder.diagnosis.variants import diagnostic_cases
from autograder.grading.suite import Suite
from autograder.homework.cases import Group
from autograder.reference.known import KnownCase

SEPARATION = 10.0


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the closest visible mistake of each stored case that students do not see."""
    for task, variants in suite.diagnostician.singles.items():
        for known in _hidden(suite, task):
            found = closest_mistake(known, variants)
            if found is not None:
                yield Margin(suite.homework.id, known.case.id, *found)


def _hidden(suite: Suite, task: str) -> list[KnownCase]:
    """Published cases stay out: there a printed answer, typed in, lies as close as its decimals."""
    cases = diagnostic_cases(suite.diagnostician.known, task)
    return [known for known in cases if known.case.group != Group.PUBLISHED]
