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
        "cases": [
            {
                "name": one.case.name,
                "group": str(one.case.group),
                "topic": one.case.topic,
                "tolerance": one.tolerance,
                "call": encode(dict(one.case.call.as_mapping()), arrays),
                "expected": encode(one.expected, arrays),
                "gradients": encode(one.gradients, arrays),
            }
            for one in cases
        ],
        "mistakes": mistakes,
        "sayings": {
            one.id: {"says": one.says, "about_size": one.about_size}
            for one in read_catalogue(homework)
            if one.id in labels
        },
        **handed_out,
    }
    data, tree["arrays"] = _in_rows(arrays)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")) + "\n"
    return {HOMEWORK: text.encode(), ARRAYS: data}


def _mistakes(
    course: Course, homework: Homework, cases: Sequence[KnownCase], arrays: Bag
) -> dict[str, list[dict[str, Any]]]:
    """What each single mistake of a task returns on its public cases; what shows nowhere is left out."""
    store = open_store(course, homework)
    written: dict[str, list[dict[str, Any]]] = {}
    for task, variants in read_singles(store.folder, store.read()).items():
        written[task] = []
        for variant in variants:
            shown: dict[str, dict[str, object]] = {}
            for known in cases:
                answer = variant.answers.get(known.case.id)
                if answer is None:
                    continue
                if answer.error is not None:
                    shown[known.case.id] = {"raises": answer.error.type}
                elif not matches(answer.value, known.expected, tolerance=known.tolerance):
                    shown[known.case.id] = {"returns": encode(answer.value, arrays)}
            if shown:
                written[task].append({"id": variant.labels[0], "answers": shown})
    return written


def _in_rows(arrays: Mapping[str, Array]) -> tuple[bytes, dict[str, list[Any]]]:
    """Lay the arrays of each dtype in one row; return the rows as npz, and each array's row, start and shape.

    The npz has the same bytes each time.
    """
    parts: dict[str, list[Array]] = {}
    places: dict[str, list[Any]] = {}
    for key, array in arrays.items():
        row = parts.setdefault(array.dtype.name, [])
        places[key] = [array.dtype.name, sum(one.size for one in row), list(array.shape)]
        row.append(array.ravel())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(parts):
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w") as file:
                np.lib.format.write_array(file, np.concatenate(parts[name]), allow_pickle=False)
    return buffer.getvalue(), places
