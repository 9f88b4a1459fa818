"""Mutants: the solution with the edits of misconceptions, run in a worker."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Sequence

from autograder.course import Call, Case, CourseError, FunctionCall, Homework
from autograder.judging.agreement import Labels, Variant
from autograder.judging.catalogue import CATALOGUE, Misconception, read_edits
from autograder.judging.known import run_calls
from autograder.sandbox import SandboxPool

SWITCH = """

_right, _parts, _compiled = dict(globals()), {parts!r}, {{}}


def switch(*numbers):
    globals().update(_right)
    for number in numbers:
        if number not in _compiled:
            _compiled[number] = compile(_parts[number], "mistaken", "exec")
        exec(_compiled[number], globals())
"""
"""Written below the solution: one process answers for all mutants, and compiles only what they change."""


def single_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each misconception of a task alone."""
    return [(one.id,) for one in catalogue if task in one.tasks]


def pair_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each two misconceptions of a task that can be made together."""
    own = [one for one in catalogue if task in one.tasks]
    return [(one.id, other.id) for one, other in itertools.combinations(own, 2) if one.goes_with(other)]


def mutants(homework: Homework, every: Iterable[Labels]) -> Iterator[str]:
    """Yield the mutant of each set of misconceptions as the text of a submission."""
    catalogue = read_edits(homework)
    return (catalogue.solution.edited(catalogue.edits_of(labels)) for labels in every)


def as_diffs(homework: Homework, every: Iterable[Labels]) -> dict[str, str]:
    """Return what sets of misconceptions change in the reference solution, as unified diffs by their labels.

    Sets of which one is not an edit of the solution are left out.
    """
    catalogue, found = read_edits(homework), dict[str, str]()
    right = homework.solution.read_text(encoding="utf-8").splitlines(keepends=True)
    for labels in every:
        if catalogue.mistakes.keys() >= set(labels):
            name = " + ".join(labels)
            mutant = catalogue.solution.edited(catalogue.edits_of(labels)).splitlines(keepends=True)
            names = (homework.stub, f"{homework.stub} with {name}")
            found[name] = "".join(difflib.unified_diff(right, mutant, *names))
    return found


def run_variants(
    homework: Homework, cases: Sequence[Case], labels: Sequence[Labels], pool: SandboxPool
) -> list[Variant]:
    """Answer the cases with the mutant of each set of misconceptions; a mutant may also raise.

    Raises:
        CourseError: there is no such misconception, or the edited solution is not valid Python.
    """
    catalogue = read_edits(homework)
    numbers: dict[str, int] = {}
    calls: list[Call] = []
    for one in labels:
        parts = catalogue.solution.edited_parts(catalogue.edits_of(one))
        changed = tuple(numbers.setdefault(part, len(numbers)) for part in parts)
        calls += [FunctionCall("switch", changed), *(case.call for case in cases)]
    text = catalogue.solution.whole + SWITCH.format(parts=list(numbers))
    answers = iter(run_calls(homework, homework.solution, calls, pool, text))
    variants = []
    for one in labels:
        switched = next(answers)
        if not switched.is_usable:
            raise CourseError(f"{homework.folder / CATALOGUE}: {' + '.join(one)}: {switched.error}")
        variants.append(Variant(one, {case.id: next(answers) for case in cases}))
    return variants
