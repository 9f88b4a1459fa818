"""The outputs of every single misconception on the stored cases, kept beside the expected ones.

Only what differs from the expected value is kept. ``misconceptions.json`` names, for each mistake, the
cases where it shows; the arrays lie in ``misconceptions.safetensors``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from autograder.course import CourseError, Homework
from autograder.judging.agreement import Labels, Variant, diagnostic_cases, differs, same_answer
from autograder.judging.catalogue import CATALOGUE, read_catalogue
from autograder.judging.known import KnownCase
from autograder.judging.mutation import run_variants, single_labels
from autograder.judging.store import BUILD, read_arrays
from autograder.sandbox import Answer, SandboxPool, StudentError
from autograder.worker import Array, Bag, decode, encode

INDEX, ARRAYS = "misconceptions.json", "misconceptions.safetensors"
REPAIR = f"take it back from version control, or delete {INDEX} and {BUILD}"
Variants = dict[str, list[Variant]]


def compute_singles(homework: Homework, known: Sequence[KnownCase], pool: SandboxPool) -> Variants:
    """Run each misconception alone on all stored cases of each task it belongs to."""
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
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        arrays = read_arrays(folder / ARRAYS, index["sha256"], INDEX, REPAIR)
        return {
            task: [_read_variant(entry, task, known, arrays) for entry in entries]
            for task, entries in index["tasks"].items()
        }
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CourseError(f"{path} is malformed ({type(error).__name__}: {error}): {REPAIR}") from error


def write_singles(folder: Path, singles: Variants, known: Sequence[KnownCase]) -> None:
    """Store the variants; equal content gives equal bytes."""
    arrays = Bag()
    tasks = {
        task: [_write_variant(variant, task, known, arrays) for variant in variants]
        for task, variants in singles.items()
    }
    data = save(arrays)
    index = {"sha256": hashlib.sha256(data).hexdigest(), "tasks": tasks}
    (folder / ARRAYS).write_bytes(data)
    text = json.dumps(index, indent=1, ensure_ascii=False)
    (folder / INDEX).write_text(text + "\n", encoding="utf-8", newline="\n")


def out_of_date(folder: Path, computed: Variants, known: Sequence[KnownCase]) -> list[str]:
    """Return one line per stored output that is another now, and one where the mistakes are others."""
    stored = read_singles(folder, known)
    lines = list(changed_singles(stored, computed, known))
    if _labels(stored) != _labels(computed):
        lines.append(f"{INDEX} does not hold the mistakes of {CATALOGUE}; {BUILD}")
    elif not lines and _shown(folder) != _shows(computed, known):
        lines.append(f"{INDEX} does not say in which cases the mistakes show; {BUILD}")
    return lines


def changed_singles(old: Variants, new: Variants, known: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per stored output of a misconception that has changed; new cases do not count."""
    tolerances = {one.case.id: one.tolerance for one in known}
    for task, variants in new.items():
        before = {variant.labels: variant for variant in old.get(task, [])}
        for variant in variants:
            for case, answer in variant.answers.items():
                earlier = before[variant.labels].answers.get(case) if variant.labels in before else None
                if earlier is not None and not same_answer(answer, earlier, tolerances[case]):
                    yield f"{task} with {variant.labels[0]}: {case} differs"


def _labels(variants: Variants) -> dict[str, list[Labels]]:
    return {task: [one.labels for one in of_task] for task, of_task in variants.items() if of_task}


Shows = dict[str, dict[str, set[str]]]
"""By task and mistake, the cases where it shows."""


def _shown(folder: Path) -> Shows:
    path = folder / INDEX
    if not path.is_file():
        return {}
    tasks = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    return {task: {entry["id"]: set(entry["shows"]) for entry in entries} for task, entries in tasks.items()}


def _shows(variants: Variants, known: Sequence[KnownCase]) -> Shows:
    shows: Shows = {}
    for task, of_task in variants.items():
        cases = diagnostic_cases(known, task)
        shows[task] = {
            one.labels[0]: {case.case.id for case in cases if differs(one.answers[case.case.id], case)}
            for one in of_task
        }
    return shows


def _write_variant(variant: Variant, task: str, known: Sequence[KnownCase], arrays: Bag) -> dict[str, Any]:
    shown: dict[str, dict[str, object]] = {}
    for one in diagnostic_cases(known, task):
        case, answer = one.case.id, variant.answers[one.case.id]
        arrays.prefix = f"{task}/{variant.labels[0]}/{case}#"
        if answer.error is not None:
            shown[case] = {"raises": answer.error.type}
        elif differs(answer, one):
            shown[case] = {"returns": encode(answer.value, arrays)}
    return {"id": variant.labels[0], "shows": shown}


def _read_variant(
    entry: Mapping[str, Any], task: str, known: Sequence[KnownCase], arrays: dict[str, Array]
) -> Variant:
    answers: dict[str, Answer] = {}
    for one in diagnostic_cases(known, task):
        shown = entry["shows"].get(one.case.id)
        if shown is None:
            answers[one.case.id] = Answer(value=one.expected)
        elif "raises" in shown:
            answers[one.case.id] = Answer(error=StudentError(shown["raises"]))
        else:
            answers[one.case.id] = Answer(value=decode(shown["returns"], arrays))
    return Variant((entry["id"],), answers)
