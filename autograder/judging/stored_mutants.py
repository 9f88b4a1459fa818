"""The outputs of each misconception's mutant on the stored cases, kept beside the expected ones.

Only what differs from the expected value is kept. ``misconceptions.json`` names, for each mutant, the
cases where it shows; the arrays lie in ``misconceptions.safetensors``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from autograder.course import Homework, Record, read_json
from autograder.judging.agreement import Variant, diagnostic_cases, read_variant, same_answer, written_variant
from autograder.judging.catalogue import CATALOGUE, read_catalogue
from autograder.judging.known import KnownCase
from autograder.judging.mutation import run_variants, single_labels
from autograder.judging.store import BUILD, damage_named, read_arrays, write_arrays, write_index
from autograder.sandbox import SandboxPool
from autograder.worker import Bag

INDEX, ARRAYS = "misconceptions.json", "misconceptions.safetensors"
Variants = dict[str, list[Variant]]


class _Mutant(Struct):
    id: str
    shows: dict[str, dict[str, Any]]


class _Index(Record):
    sha256: str
    tasks: Annotated[
        dict[str, tuple[_Mutant, ...]],
        Meta(description="for each task a list of mutants, each with the cases where it shows"),
    ]


def compute_singles(homework: Homework, known: Sequence[KnownCase], pool: SandboxPool) -> Variants:
    """Run the mutant of each misconception on all stored cases of each task it belongs to."""
    catalogue = read_catalogue(homework)
    singles: Variants = {}
    for task in homework.tasks:
        labels = single_labels(catalogue, task.name)
        cases = [one.case for one in known if one.case.task == task.name]
        singles[task.name] = run_variants(homework, cases, labels, pool) if labels and cases else []
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
            task: [read_variant(one.id, one.shows, diagnostic_cases(known, task), arrays) for one in entries]
            for task, entries in index.tasks.items()
        }


def write_singles(folder: Path, singles: Variants, known: Sequence[KnownCase]) -> None:
    """Store the outputs of mutants; equal content gives equal bytes."""
    arrays = Bag()
    tasks = _entries(singles, known, arrays)
    write_index(folder / INDEX, _Index(sha256=write_arrays(folder / ARRAYS, arrays), tasks=tasks))


def out_of_date(folder: Path, computed: Variants, known: Sequence[KnownCase]) -> list[str]:
    """Return one line per stored output that is another now, or one where other mutants are stored."""
    lines = list(changed_singles(read_singles(folder, known), computed, known))
    stored = read_json(folder / INDEX, _Index).tasks if (folder / INDEX).is_file() else {}
    if not lines and _where(stored) != _where(_entries(computed, known, Bag())):
        lines.append(f"{INDEX} does not hold the mistakes of {CATALOGUE}; {BUILD}")
    return lines


def changed_singles(old: Variants, new: Variants, known: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per stored output of a mutant that has changed; new cases do not count."""
    tolerances = {one.case.id: one.tolerance for one in known}
    for task, variants in new.items():
        before = {variant.labels: variant.answers for variant in old.get(task, [])}
        for variant in variants:
            earlier = before.get(variant.labels, {})
            for case, answer in variant.answers.items():
                if case in earlier and not same_answer(answer, earlier[case], tolerances[case]):
                    yield f"{task} with {variant.labels[0]}: {case} differs"


def _where(entries: Mapping[str, Sequence[_Mutant]]) -> dict[str, list[tuple[str, list[str]]]]:
    """Return the mutants of each task, each with the cases where it shows."""
    return {task: [(one.id, list(one.shows)) for one in of_task] for task, of_task in entries.items()}


def _entries(singles: Variants, known: Sequence[KnownCase], arrays: Bag) -> dict[str, tuple[_Mutant, ...]]:
    """Return the index of mutants, and put the arrays that they return into ``arrays``."""

    def entry(task: str, variant: Variant) -> _Mutant:
        arrays.prefix = f"{task}/{variant.labels[0]}"
        return _Mutant(variant.labels[0], written_variant(variant, diagnostic_cases(known, task), arrays))

    return {task: tuple(entry(task, one) for one in variants) for task, variants in singles.items()}
