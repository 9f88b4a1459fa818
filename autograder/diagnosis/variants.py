"""What a task returns with mistakes switched on: the misconceptions file, run by a worker like a submission.

``misconceptions.py`` defines the homework's tasks and ``switch(*ids)``, which turns the named mistakes on
and all others off.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.comparison.compare import as_array
from autograder.diagnosis.catalogue import Misconception
from autograder.homework.cases import Case, FunctionCall
from autograder.homework.model import CourseError, Homework
from autograder.reference.known import KnownCase
from autograder.reference.run import run_calls
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer

IMPLEMENTATION = "misconceptions.py"
LARGEST_CASE = 4000

Labels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Variant:
    """The mistakes that are switched on, and the answer to each case by its id."""

    labels: Labels
    answers: Mapping[str, Answer]


def single_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each mistake of a task alone."""
    return [(one.id,) for one in catalogue if task in one.tasks]


def pair_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each two mistakes of a task that can be made together."""
    own = [one for one in catalogue if task in one.tasks]
    return [(one.id, other.id) for one, other in itertools.combinations(own, 2) if one.goes_with(other)]


def diagnostic_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that diagnosis looks at: stored, of moderate size, of values alone."""
    return [
        one
        for one in known
        if one.case.task == task
        and one.case.group != "fresh"
        and one.gradients is None
        and _size(one.expected) <= LARGEST_CASE
    ]


def switched_texts(homework: Homework, every: Iterable[Labels]) -> Iterator[str]:
    """Yield, for each set of mistakes, a submission that makes them: the file with its switch thrown."""
    source = (homework.folder / IMPLEMENTATION).read_text(encoding="utf-8")
    return (f"{source}\n\nswitch(*{labels!r})\n" for labels in every)


def run_variants(
    homework: Homework, cases: Sequence[Case], labels: Sequence[Labels], pool: SandboxPool
) -> list[Variant]:
    """Answer the cases once for each set of switched-on mistakes; a mistake may also raise.

    Raises:
        CourseError: the misconceptions file does not load, or has no such switch.
    """
    path = homework.folder / IMPLEMENTATION
    calls = [
        call for switches in labels for call in (FunctionCall("switch", switches), *(c.call for c in cases))
    ]
    answers = iter(run_calls(homework, path, calls, pool))
    variants = []
    for switches in labels:
        switched = next(answers)
        if not switched.is_usable:
            raise CourseError(f"{path}: switch{switches} failed: {switched.error}")
        variants.append(Variant(switches, {case.id: next(answers) for case in cases}))
    return variants


def _size(value: Any) -> int:
    array = as_array(value)
    if array is not None:
        return int(array.size)
    return sum(_size(part) for part in value) if isinstance(value, tuple | list) else 0
