"""One homework as students hold it: its public cases with their expected answers, and its public checks."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import Case, FunctionCall, Group, Homework, ModuleCall, Task
from autograder.judging import Check, KnownCase, Variant, diagnostic_cases, read_checks
from autograder.sandbox import Answer, Limits, StudentError
from autograder.student.bootstrap import ReleaseError, unpacked
from autograder.worker import Array, decode

DATA = "homework"
"""The folder of the archive that holds these files."""
HOMEWORK, ARRAYS, CHECKS = "homework.json", "arrays.npz", "checks.py"


@dataclass(frozen=True)
class Saying:
    """What a student reads of a known mistake."""

    says: str
    about_size: bool = False


@dataclass(frozen=True, eq=False)
class PublicHomework:
    """A homework without anything hidden.

    ``mistakes`` are by task what known mistakes return on the same cases; without hints there are none.
    ``handed_out`` tells an untouched file from one that was worked on, by a digest of its text for each name;
    ``handed_out_bytes`` does so by its bytes.
    """

    homework: Homework
    known: tuple[KnownCase, ...]
    checks: tuple[Check, ...]
    mistakes: Mapping[str, Sequence[Variant]]
    sayings: Mapping[str, Saying]
    handed_out: Mapping[str, str]
    handed_out_bytes: Mapping[str, str]


def open_homework(folder: Path) -> PublicHomework:
    """Read the homework that was released into a folder.

    Raises:
        ReleaseError: a file of the release is missing or cannot be read.
    """
    home = unpacked(folder) / DATA
    try:
        tree = json.loads((home / HOMEWORK).read_text(encoding="utf-8"))
        arrays = _arrays(home / ARRAYS, tree["arrays"])
        return _homework(tree, arrays, _checks(home / CHECKS))
    except (OSError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ReleaseError(f"{home} is not whole ({reason}); unzip the homework again") from error


def _homework(tree: Mapping[str, Any], arrays: dict[str, Array], checks: list[Check]) -> PublicHomework:
    known = tuple(_known(entry, arrays) for entry in tree["cases"])
    mistakes = {
        task: [
            Variant((one["id"],), _answers(one["answers"], diagnostic_cases(known, task), arrays))
            for one in variants
        ]
        for task, variants in tree["mistakes"].items()
    }
    sayings = {label: Saying(**one) for label, one in tree["sayings"].items()}
    return PublicHomework(
        homework=_model(tree["homework"]),
        known=known,
        checks=tuple(checks),
        mistakes=mistakes,
        sayings=sayings,
        handed_out=tree["handed_out"],
        handed_out_bytes=tree["handed_out_bytes"],
    )


def _model(entry: Mapping[str, Any]) -> Homework:
    tasks = tuple(Task(**{**task, "returns": tuple(task["returns"])}) for task in entry["tasks"])
    limits = Limits(call_seconds=entry["call_seconds"])
    names = ("id", "title", "stub", "library", "hints")
    return Homework(folder=Path(), tasks=tasks, limits=limits, **{name: entry[name] for name in names})


def _known(entry: Mapping[str, Any], arrays: dict[str, Array]) -> KnownCase:
    call = decode(entry["call"], arrays)
    operation = call.pop("op")
    call["args"] = tuple(call["args"])
    made = {"function": FunctionCall, "module": ModuleCall}[operation](**call)
    case = Case(entry["name"], made, entry["topic"], entry["tolerance"], Group(entry["group"]))
    value, gradients = (decode(entry[key], arrays) for key in ("expected", "gradients"))
    return KnownCase(case, value, gradients, entry["tolerance"])


def _answers(
    entry: Mapping[str, Any], known: Sequence[KnownCase], arrays: dict[str, Array]
) -> dict[str, Answer]:
    """The answers of a mistake to the cases of its task; what is not listed is as expected."""
    answers = {one.case.id: Answer(value=one.expected) for one in known}
    for case, shown in entry.items():
        if "raises" in shown:
            answers[case] = Answer(error=StudentError(shown["raises"]))
        else:
            answers[case] = Answer(value=decode(shown["returns"], arrays))
    return answers


def _arrays(path: Path, places: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays by their keys: all of one dtype lie in one row, which is much faster to read."""
    with np.load(path, allow_pickle=False) as rows:
        whole = {dtype: rows[dtype] for dtype in rows.files}
    found = {}
    for key, (dtype, start, shape) in places.items():
        size = int(np.prod(shape, dtype=int))
        found[key] = whole[dtype][start : start + size].reshape(shape)
    return found


def _checks(path: Path) -> list[Check]:
    """Import the checks by their path: several homeworks may share one process, and each has its own."""
    spec = importlib.util.spec_from_file_location(f"public_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ReleaseError(f"{path} cannot be imported; unzip the homework again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return read_checks(path.stem, vars(module))
