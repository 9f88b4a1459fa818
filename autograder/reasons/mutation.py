"""Mutants: the solution with the edits of misconceptions, run in a worker, and their stored outputs.

Of the outputs on the stored cases only what differs from the expected value is kept. ``misconceptions.json``
names, for each mutant, the cases where it shows; the arrays lie in ``misconceptions.safetensors``.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from autograder.course.cases import Call, Case, FunctionCall
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, read_json
from autograder.reasons.agreement import (
    Variant,
    diagnostic_cases,
    read_variant,
    same_answer,
    written_variant,
)
from autograder.reasons.catalogue import (
    CATALOGUE,
    Edit,
    Misconception,
    Solution,
    read_catalogue,
    read_edits,
)
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.failure import Labels
from autograder.verdict.known import KnownCase
from autograder.verdict.misfits import misfits_of
from autograder.verdict.reference import run_calls
from autograder.verdict.store import (
    BUILD,
    damage_named,
    read_arrays,
    write_arrays,
    write_index,
)
from autograder.worker.errors import SUBMISSION_ROOT
from autograder.worker.wire import Bag

INDEX, ARRAYS = "misconceptions.json", "misconceptions.safetensors"
Edits = Collection[Edit]
Variants = dict[str, list[Variant]]
"""The mutants of each task."""
SWITCH = """

import linecache as _linecache

_right, _parts, _compiled = dict(globals()), {parts!r}, {{}}


def switch(*numbers):
    globals().update(_right)
    for number in numbers:
        if number not in _compiled:
            name, text = "{root}mistaken-" + str(number), _parts[number]
            _linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
            _compiled[number] = compile(text, name, "exec")
        exec(_compiled[number], globals())
"""
"""Written below the solution: one process answers for all mutants, and compiles only what they change.

An exception in a mutant is described like one in a submission, so its code has the name of a submitted file
whose lines can be read.
"""


def single_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each misconception of a task alone."""
    return [(one.id,) for one in catalogue if task in one.tasks]


def pair_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each two misconceptions of a task that can be made together."""
    own = [one for one in catalogue if task in one.tasks]
    return [
        (one.id, other.id)
        for one, other in itertools.combinations(own, 2)
        if one.goes_with(other)
    ]


def extensions(
    catalogue: Sequence[Misconception], task: str, sets: Iterable[Labels]
) -> list[Labels]:
    """Return each set of misconceptions with one more of the task that changes other characters.

    Also those that are not paired with others (``alone``) are added here: a set of three is believed only
    where it agrees with all answers.
    """
    own = {one.id: one for one in catalogue if task in one.tasks}
    found: dict[frozenset[str], Labels] = {}
    for labels in sets:
        edits = {edit for label in labels for edit in own[label].edits}
        excluded = {other for label in labels for other in own[label].excludes}
        for label, other in own.items():
            clash = any(
                edit.clashes(another) for edit in edits for another in other.edits
            )
            is_excluded = label in excluded or not other.excludes.isdisjoint(labels)
            if (
                label not in labels
                and not clash
                and not is_excluded
                and not other.edits <= edits
            ):
                found.setdefault(frozenset((*labels, label)), (*labels, label))
    return list(found.values())


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
            mutant = catalogue.solution.edited(catalogue.edits_of(labels)).splitlines(
                keepends=True
            )
            names = (homework.stub, f"{homework.stub} with {name}")
            found[name] = "".join(difflib.unified_diff(right, mutant, *names))
    return found


def run_variants(
    homework: Homework,
    cases: Sequence[Case],
    labels: Sequence[Labels],
    pool: SandboxPool,
) -> list[Variant]:
    """Answer the cases with the mutant of each set of misconceptions; a mutant may also raise.

    Raises:
        CourseError: there is no such misconception, or the edited solution is not valid Python.
    """
    catalogue = read_edits(homework)
    edits = [catalogue.edits_of(one) for one in labels]
    variants = []
    for one, answers in zip(
        labels, run_edits(homework, catalogue.solution, cases, edits, pool), strict=True
    ):
        if isinstance(answers, StudentError):
            raise CourseError(
                f"{homework.folder / CATALOGUE}: {' + '.join(one)}: {answers}"
            )
        variants.append(Variant(one, answers, misfits_of(answers)))
    return variants


def run_edits(
    homework: Homework,
    solution: Solution,
    cases: Sequence[Case],
    every: Sequence[Edits],
    pool: SandboxPool,
) -> Iterator[Mapping[str, Answer] | StudentError]:
    """Answer the cases with each set of edits of the solution; where one does not load, yield why.

    Raises:
        CourseError: the process does not survive the calls.
    """
    numbers: dict[str, int] = {}
    calls: list[Call] = []
    for one in every:
        changed = tuple(
            numbers.setdefault(part, len(numbers))
            for part in solution.edited_parts(one)
        )
        calls += [FunctionCall("switch", changed), *(case.call for case in cases)]
    text = solution.whole + SWITCH.format(parts=list(numbers), root=SUBMISSION_ROOT)
    answers = iter(run_calls(homework, homework.solution, calls, pool, text))
    for _ in every:
        switched = next(answers)
        own = {case.id: next(answers) for case in cases}
        yield (
            own if switched.is_usable else switched.error or StudentError("SyntaxError")
        )


# The outputs of single mistakes, as they are stored


class _Mutant(Struct):
    id: str
    shows: dict[str, dict[str, Any]]


class _Index(Record):
    sha256: str
    tasks: Annotated[
        dict[str, tuple[_Mutant, ...]],
        Meta(
            description="for each task a list of mutants, each with the cases where it shows"
        ),
    ]


def compute_singles(
    homework: Homework, known: Sequence[KnownCase], pool: SandboxPool
) -> Variants:
    """Run the mutant of each misconception on all stored cases of each task it belongs to."""
    catalogue = read_catalogue(homework)
    singles: Variants = {}
    for task in homework.tasks:
        labels = single_labels(catalogue, task.name)
        cases = [
            one.case for one in known if one.case.task == task.name and one.case.expects
        ]
        singles[task.name] = (
            run_variants(homework, cases, labels, pool) if labels and cases else []
        )
    return singles


def read_singles(folder: Path, known: Sequence[KnownCase]) -> Variants:
    """Read what ``write_singles`` stored; empty where nothing is stored.

    Raises:
        CourseError: the index is malformed, or the array file is not the one that it describes.
    """
    path = folder / INDEX
    if not path.is_file():
        return {}
    with damage_named(path):
        index = read_json(path, _Index)
    arrays = read_arrays(folder / ARRAYS, index.sha256, INDEX)
    with damage_named(path):
        return {
            task: [
                read_variant(one.id, one.shows, diagnostic_cases(known, task), arrays)
                for one in entries
            ]
            for task, entries in index.tasks.items()
        }


def write_singles(folder: Path, singles: Variants, known: Sequence[KnownCase]) -> None:
    """Store the outputs of mutants; equal content gives equal bytes."""
    arrays = Bag()
    tasks = _entries(singles, known, arrays)
    write_index(
        folder / INDEX,
        _Index(sha256=write_arrays(folder / ARRAYS, arrays), tasks=tasks),
    )


def out_of_date(
    folder: Path, computed: Variants, known: Sequence[KnownCase]
) -> list[str]:
    """Return one line per stored output that is another now, or one where other mutants are stored."""
    lines = list(changed_singles(read_singles(folder, known), computed, known))
    stored = (
        read_json(folder / INDEX, _Index).tasks if (folder / INDEX).is_file() else {}
    )
    if not lines and _where(stored) != _where(_entries(computed, known, Bag())):
        lines.append(f"{INDEX} does not hold the mistakes of {CATALOGUE}; {BUILD}")
    return lines


def changed_singles(
    old: Variants, new: Variants, known: Sequence[KnownCase]
) -> Iterator[str]:
    """Yield one line per mutant of which stored outputs have changed; new cases do not count."""
    tolerances = {one.case.id: one.tolerance for one in known}
    for task, variants in new.items():
        before = {variant.labels: variant.answers for variant in old.get(task, [])}
        for variant in variants:
            earlier = before.get(variant.labels, {})
            changed = [
                case
                for case, answer in variant.answers.items()
                if case in earlier.keys() & tolerances.keys()
                and not same_answer(answer, earlier[case], tolerances[case])
            ]
            if changed:
                more = (
                    f", and so do {len(changed) - 1} more cases"
                    if len(changed) > 1
                    else ""
                )
                yield f"{task} with {variant.labels[0]}: {changed[0]} differs{more}"


def _where(
    entries: Mapping[str, Sequence[_Mutant]],
) -> dict[str, list[tuple[str, list[Any]]]]:
    """Return the mutants of each task, each with the cases where it shows, and with what it raises there."""
    found = dict[str, list[tuple[str, list[Any]]]]()
    for task, of_task in entries.items():
        found[task] = []
        for mutant in of_task:
            shown = [
                (case, entry if "raises" in entry else "returns")
                for case, entry in mutant.shows.items()
            ]
            found[task].append((mutant.id, shown))
    return found


def _entries(
    singles: Variants, known: Sequence[KnownCase], arrays: Bag
) -> dict[str, tuple[_Mutant, ...]]:
    """Return the index of mutants, and put the arrays that they return into ``arrays``."""

    def entry(task: str, variant: Variant) -> _Mutant:
        arrays.prefix = f"{task}/{variant.labels[0]}"
        return _Mutant(
            variant.labels[0],
            written_variant(variant, diagnostic_cases(known, task), arrays),
        )

    return {
        task: tuple(entry(task, one) for one in variants)
        for task, variants in singles.items()
    }
