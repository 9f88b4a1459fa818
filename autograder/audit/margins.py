"""How far mistakes lie from right answers: each case must separate what it shows at all."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.audit.records import Margin
from autograder.diagnosis.margins import nearest_mistake
from autograder.diagnosis.variants import diagnostic_cases
from autograder.grading.suite import Suite


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the nearest visible mistake of each stored case that diagnosis looks at."""
    for task, variants in suite.diagnostician.singles.items():
        for known in diagnostic_cases(suite.diagnostician.known, task):
            found = nearest_mistake(known, variants)
            if found is not None:
                yield Margin(suite.homework.id, known.case.id, *found)
