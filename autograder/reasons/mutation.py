"""Mutants: the solution with the edits of misconceptions, run in a worker, and their stored outputs.

Of the outputs on the stored cases only what differs from the expected value is kept. ``misconceptions.json``
names, for each mutant, the cases where it shows; the arrays are in ``misconceptions.safetensors``.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from autograder.course.calls import Call, FunctionCall, SwitchedCall
from autograder.course.cases import Case
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, read_json
from autograder.reasons.agreement import (
    Variant,
    diagnostic_cases,
    read_variant,
    written_variant,
)
from autograder.reasons.catalogue import (
    CATALOGUE,
    Misconception,
    read_catalogue,
    read_edits,
)
from autograder.reasons.source_text import Edit, SourceText, clash
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.failure import Labels
from autograder.verdict.known import KnownCases
from autograder.verdict.misfits import misfits_of
from autograder.verdict.reference import run_calls
from autograder.verdict.store import (
    BUILD,
    damage_named,
    read_arrays,
    write_arrays,
    write_index,
)
from autograder.worker.places import SUBMISSION_ROOT
from autograder.worker.wire import Bag

INDEX = "misconceptions.json"
ARRAYS = "misconceptions.safetensors"
Edits = Collection[Edit]
Variants = dict[str, list[Variant]]
"""The mutants of each task, with their answers."""
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


NOT_CODE = frozenset({"SyntaxError", "IndentationError"})
"""The errors of code that does not load. Functions that are only defined raise no other."""


def single_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each misconception of a task separately."""
    return [(mistake.id,) for mistake in _mistakes_of(catalogue, task)]


def pair_labels(catalogue: Sequence[Misconception], task: str) -> list[Labels]:
    """Return each two misconceptions of a task that can be made together."""
    pairs: list[Labels] = []
    for first, second in itertools.combinations(_mistakes_of(catalogue, task), 2):
        if first.goes_with(second):
            pairs.append((first.id, second.id))
    return pairs


def extensions(
    catalogue: Sequence[Misconception], task: str, sets: Iterable[Labels]
) -> list[Labels]:
    """Return each set of misconceptions with one more of the task that changes other characters.

    Also those that are not paired with others (``alone``) are added here: a set of three is believed only
    where it agrees with all answers.

    Args:
        catalogue: the misconceptions of the homework.
        task: name of the task.
        sets: ids of misconceptions of the task.
    """
    mistakes = {mistake.id: mistake for mistake in _mistakes_of(catalogue, task)}
    extended: dict[frozenset[str], Labels] = {}
    for labels in sets:
        edits: set[Edit] = set()
        excluded: set[str] = set()
        for label in labels:
            edits |= mistakes[label].edits
            excluded |= mistakes[label].excludes
        for label, mistake in mistakes.items():
            if label in labels or label in excluded:
                continue
            if not mistake.excludes.isdisjoint(labels):
                continue
            if mistake.edits <= edits or clash(edits, mistake.edits):
                continue
            extended.setdefault(frozenset((*labels, label)), (*labels, label))
    return list(extended.values())


def _mistakes_of(catalogue: Sequence[Misconception], task: str) -> list[Misconception]:
    mistakes = []
    for mistake in catalogue:
        if task in mistake.tasks:
            mistakes.append(mistake)
    return mistakes


# Mutants as text, and what they answer


def mutants(homework: Homework, sets: Iterable[Labels]) -> Iterator[str]:
    """Yield the mutant of each set of misconceptions as the text of a submission."""
    catalogue = read_edits(homework)
    return (catalogue.solution.edited(catalogue.edits_of(labels)) for labels in sets)


def as_diffs(homework: Homework, sets: Sequence[Labels]) -> dict[str, str]:
    """Return the changes that sets of misconceptions make to the reference solution, as unified diffs.

    Sets of which one is not an edit of the solution are left out. The keys are the labels of a set, joined by
    " + ".
    """
    if not sets:
        return {}  # the catalogue takes longer to read than a right answer to judge
    catalogue = read_edits(homework)
    right = homework.solution.read_text(encoding="utf-8").splitlines(keepends=True)
    diffs = {}
    for labels in sets:
        if not catalogue.mistakes.keys() >= set(labels):
            continue
        name = " + ".join(labels)
        text = catalogue.solution.edited(catalogue.edits_of(labels))
        mutant = text.splitlines(keepends=True)
        lines = difflib.unified_diff(
            right, mutant, homework.stub, f"{homework.stub} with {name}"
        )
        diffs[name] = "".join(lines)
    return diffs


def run_variants(
    homework: Homework,
    cases: Sequence[Case],
    sets: Sequence[Labels],
    pool: SandboxPool,
) -> list[Variant]:
    """Answer the cases with the mutant of each set of misconceptions; a mutant may also raise.

    Raises:
        CourseError: there is no such misconception, or the edited solution is not valid Python.
    """
    catalogue = read_edits(homework)
    edits_of_sets = list(map(catalogue.edits_of, sets))
    outcomes = run_edits(homework, catalogue.solution, cases, edits_of_sets, pool)
    variants = []
    for labels, outcome in zip(sets, outcomes, strict=True):
        if isinstance(outcome, StudentError):
            place = homework.folder / CATALOGUE
            raise CourseError(f"{place}: {' + '.join(labels)}: {outcome}")
        variants.append(Variant(labels, outcome, misfits_of(outcome)))
    return variants


def run_edits(
    homework: Homework,
    solution: SourceText,
    cases: Sequence[Case],
    sets: Sequence[Edits],
    pool: SandboxPool,
) -> Iterator[Mapping[str, Answer] | StudentError]:
    """Answer the cases with each set of edits of the solution, all in one process.

    Yields:
        For each set its answers by case id; where the edited solution does not load, the exception.

    Raises:
        CourseError: the process does not survive the calls.
    """
    # Each function that some set changes is a numbered part; a call of ``switch`` puts parts into place.
    number_of_part: dict[str, int] = {}
    calls_of_cases = [case.call for case in cases]
    calls: list[Call] = []
    is_one_case = len(cases) == 1
    for edits in sets:
        numbers = [
            number_of_part.setdefault(part, len(number_of_part))
            for part in solution.edited_parts(edits)
        ]
        if is_one_case:
            # For a call of its own, the switch would take as long as the case.
            calls.append(SwitchedCall(calls_of_cases[0], "switch", tuple(numbers)))
            continue
        calls.append(FunctionCall("switch", tuple(numbers)))
        calls += calls_of_cases
    switch = SWITCH.format(parts=list(number_of_part), root=SUBMISSION_ROOT)
    text = solution.whole + switch

    answers = iter(run_calls(homework, homework.solution, calls, pool, text))
    for _ in sets:
        if is_one_case:
            answer = next(answers)
            if answer.error is not None and answer.error.type in NOT_CODE:
                yield answer.error
            else:
                yield {cases[0].id: answer}
            continue
        switched = next(answers)
        answers_of_set = {case.id: next(answers) for case in cases}
        if switched.is_usable:
            yield answers_of_set
        else:
            yield switched.error or StudentError("SyntaxError")


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
    homework: Homework, known: KnownCases, pool: SandboxPool
) -> Variants:
    """Run the mutant of each misconception on all stored cases of each task it belongs to."""
    catalogue = read_catalogue(homework)
    singles: Variants = {}
    for task in homework.tasks:
        labels = single_labels(catalogue, task.name)
        cases = []
        for stored in known:
            if stored.case.task == task.name and stored.case.expects:
                cases.append(stored.case)
        singles[task.name] = []
        if labels and cases:
            singles[task.name] = run_variants(homework, cases, labels, pool)
    return singles


def read_singles(folder: Path, known: KnownCases) -> Variants:
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
    singles: Variants = {}
    with damage_named(path):
        for task, entries in index.tasks.items():
            cases = diagnostic_cases(known, task)
            singles[task] = []
            for entry in entries:
                variant = read_variant(entry.id, entry.shows, cases, arrays)
                singles[task].append(variant)
    return singles


def write_singles(folder: Path, singles: Variants, known: KnownCases) -> None:
    """Store the outputs of mutants; equal content gives equal bytes."""
    arrays = Bag()
    tasks = _entries(singles, known, arrays)
    sha256 = write_arrays(folder / ARRAYS, arrays)
    write_index(folder / INDEX, _Index(sha256=sha256, tasks=tasks))


def out_of_date(folder: Path, computed: Variants, known: KnownCases) -> list[str]:
    """Return one line per stored output that is another now, or one where other mutants are stored."""
    lines = list(changed_singles(read_singles(folder, known), computed, known))
    stored: Mapping[str, Sequence[_Mutant]] = {}
    if (folder / INDEX).is_file():
        stored = read_json(folder / INDEX, _Index).tasks
    entries = _entries(computed, known, Bag())
    if not lines and _where(stored) != _where(entries):
        lines.append(f"{INDEX} does not hold the mistakes of {CATALOGUE}; {BUILD}")
    return lines


def changed_singles(old: Variants, new: Variants, known: KnownCases) -> Iterator[str]:
    """Yield one line per mutant of which stored outputs have changed; new cases do not count."""
    known_by_id = {stored.case.id: stored for stored in known}
    for task, variants in new.items():
        old_answers = {variant.labels: variant.answers for variant in old.get(task, [])}
        for variant in variants:
            before = old_answers.get(variant.labels, {})
            changed = []
            for case_id in variant.answers.keys() & before.keys() & known_by_id.keys():
                if not variant.gives(before[case_id], known_by_id[case_id]):
                    changed.append(case_id)
            changed.sort(key=list(variant.answers).index)
            if not changed:
                continue
            line = f"{task} with {variant.labels[0]}: {changed[0]} differs"
            if len(changed) > 1:
                line += f", and so do {len(changed) - 1} more cases"
            yield line


def _where(
    entries: Mapping[str, Sequence[_Mutant]],
) -> dict[str, list[tuple[str, list[Any]]]]:
    """Return the mutants of each task, each with the cases where it shows, and the exceptions there."""
    mutants_of_task: dict[str, list[tuple[str, list[Any]]]] = {}
    for task, task_mutants in entries.items():
        mutants_of_task[task] = []
        for mutant in task_mutants:
            places = []
            for case_id, entry in mutant.shows.items():
                places.append((case_id, entry if "raises" in entry else "returns"))
            mutants_of_task[task].append((mutant.id, places))
    return mutants_of_task


def _entries(
    singles: Variants, known: KnownCases, arrays: Bag
) -> dict[str, tuple[_Mutant, ...]]:
    """Return the index of mutants, and put the arrays that they return into ``arrays``."""
    entries = {}
    for task, variants in singles.items():
        cases = diagnostic_cases(known, task)
        task_mutants = []
        for variant in variants:
            label = variant.labels[0]
            arrays.prefix = f"{task}/{label}"
            shows = written_variant(variant, cases, arrays)
            task_mutants.append(_Mutant(label, shows))
        entries[task] = tuple(task_mutants)
    return entries
