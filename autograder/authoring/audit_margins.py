"""How far mistakes lie from right answers: each case must separate what it shows at all."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.authoring.audit_records import Margin
from autograder.judging import Suite, diagnostic_cases, nearest_mistake


def margins(suite: Suite) -> Iterator[Margin]:
    """Yield the nearest visible mistake of each stored case that diagnosis looks at."""
    for task, variants in suite.diagnostician.singles.items():
        for known in diagnostic_cases(suite.diagnostician.known, task):
            found = nearest_mistake(known, variants)
            if found is not None:
                yield Margin(suite.homework.id, known.case.id, *found)
