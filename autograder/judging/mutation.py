"""Mutants: the solution with the edits of misconceptions, run in a worker."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from autograder.course import Call, Case, CourseError, FunctionCall, Homework
from autograder.judging.agreement import Labels, Variant
from autograder.judging.catalogue import CATALOGUE, Edit, Misconception, Solution, read_edits
from autograder.judging.known import run_calls
from autograder.sandbox import Answer, SandboxPool, StudentError

Edits = Collection[Edit]
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
    edits = [catalogue.edits_of(one) for one in labels]
    variants = []
    for one, answers in zip(labels, run_edits(homework, catalogue.solution, cases, edits, pool), strict=True):
        if isinstance(answers, StudentError):
            raise CourseError(f"{homework.folder / CATALOGUE}: {' + '.join(one)}: {answers}")
        variants.append(Variant(one, answers))
    return variants


def run_edits(
    homework: Homework, solution: Solution, cases: Sequence[Case], every: Sequence[Edits], pool: SandboxPool
) -> Iterator[Mapping[str, Answer] | StudentError]:
    """Answer the cases with each set of edits of the solution; where one does not load, yield why.

    Raises:
        CourseError: the process does not survive the calls.
    """
    numbers: dict[str, int] = {}
    calls: list[Call] = []
    for one in every:
        changed = tuple(numbers.setdefault(part, len(numbers)) for part in solution.edited_parts(one))
        calls += [FunctionCall("switch", changed), *(case.call for case in cases)]
    text = solution.whole + SWITCH.format(parts=list(numbers))
    answers = iter(run_calls(homework, homework.solution, calls, pool, text))
    for _ in every:
        switched = next(answers)
        own = {case.id: next(answers) for case in cases}
        yield own if switched.is_usable else switched.error or StudentError("SyntaxError")
