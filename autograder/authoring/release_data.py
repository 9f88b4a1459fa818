"""The data of the public checks: published and public cases, and what known mistakes return on them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.authoring.archives import EPOCH
from autograder.course import Course, Group, Homework
from autograder.judging import (
    KnownCase,
    Variant,
    matches,
    open_store,
    read_catalogue,
    read_singles,
)
from autograder.student import ARRAYS, HOMEWORK
from autograder.worker import Array, Bag, encode

PUBLIC = (Group.PUBLISHED, Group.PUBLIC)
OF_TASKS = ("name", "points", "summary", "returns", "value")


def public_cases(course: Course, homework: Homework) -> list[KnownCase]:
    """Return the cases that students may see, with what is expected of them."""
    return [one for one in open_store(course, homework).read() if one.case.group in PUBLIC]


def homework_files(
    course: Course, homework: Homework, handed_out: Mapping[str, Mapping[str, str]]
) -> dict[str, bytes]:
    """Return the data files of a homework by name.

    Args:
        course: where the stored cases lie.
        homework: the homework.
        handed_out: digests of each file that students work on, as they receive it, by kind and name.
    """
    cases, arrays = public_cases(course, homework), Bag()
    mistakes = _mistakes(course, homework, cases, arrays) if homework.hints != "never" else {}
    labels = {one["id"] for variants in mistakes.values() for one in variants}
    tree = {
        "homework": {
            **{key: getattr(homework, key) for key in ("id", "title", "stub", "library", "hints")},
            "call_seconds": homework.limits.call_seconds,
            "tasks": [{key: getattr(task, key) for key in OF_TASKS} for task in homework.tasks],
        },
        "cases": [_case(one, arrays) for one in cases],
        "mistakes": mistakes,
        "sayings": {
            one.id: {"says": one.says, "about_size": one.about_size}
            for one in read_catalogue(homework)
            if one.id in labels
        },
        **handed_out,
    }
    rows, tree["arrays"] = _in_rows(arrays)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")) + "\n"
    return {HOMEWORK: text.encode(), ARRAYS: _npz(rows)}


def _case(known: KnownCase, arrays: Bag) -> dict[str, Any]:
    case = known.case
    return {
        "name": case.name,
        "group": str(case.group),
        "topic": case.topic,
        "tolerance": known.tolerance,
        "call": encode(dict(case.call.as_mapping()), arrays),
        "expected": encode(known.expected, arrays),
        "gradients": encode(known.gradients, arrays),
    }


def _mistakes(
    course: Course, homework: Homework, cases: Sequence[KnownCase], arrays: Bag
) -> dict[str, list[dict[str, Any]]]:
    """What each single mistake of a task returns on its public cases; what shows nowhere is left out."""
    store = open_store(course, homework)
    singles = read_singles(store.folder, store.read())
    written = {
        task: [_mistake(variant, cases, arrays) for variant in variants] for task, variants in singles.items()
    }
    return {task: [one for one in variants if one["answers"]] for task, variants in written.items()}


def _mistake(variant: Variant, cases: Sequence[KnownCase], arrays: Bag) -> dict[str, Any]:
    shown: dict[str, dict[str, object]] = {}
    for known in cases:
        answer = variant.answers.get(known.case.id)
        if answer is not None and answer.error is not None:
            shown[known.case.id] = {"raises": answer.error.type}
        elif answer is not None and not matches(answer.value, known.expected, tolerance=known.tolerance):
            shown[known.case.id] = {"returns": encode(answer.value, arrays)}
    return {"id": variant.labels[0], "answers": shown}


def _in_rows(arrays: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, list[Any]]]:
    """Lay the arrays of each dtype in one row; return the rows, and each array's row, start and shape."""
    parts: dict[str, list[Array]] = {}
    places: dict[str, list[Any]] = {}
    for key, array in arrays.items():
        row = parts.setdefault(array.dtype.name, [])
        places[key] = [array.dtype.name, sum(one.size for one in row), list(array.shape)]
        row.append(array.ravel())
    return {name: np.concatenate(row) for name, row in parts.items()}, places


def _npz(rows: Mapping[str, Array]) -> bytes:
    """The rows in NumPy's own format, with the same bytes each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, row in sorted(rows.items()):
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w") as file:
                np.lib.format.write_array(file, row, allow_pickle=False)
    return buffer.getvalue()
