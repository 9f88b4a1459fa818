"""One homework as students hold it: its public cases with their expected answers, and its public checks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograder.course.homework import Homework, Task
from autograder.course.questions import AnswerForm
from autograder.reasons.agreement import (
    Variant,
    as_told,
    diagnostic_cases,
    read_variant,
)
from autograder.sandbox.request import Limits
from autograder.student.bootstrap import ReleaseError, unpacked
from autograder.verdict.checks import Check, read_checks
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCase, read_known
from autograder.worker.wire import Array

DATA = "homework"
"""The folder of the archive that holds these files."""
HOMEWORK, ARRAYS, CHECKS = "homework.json", "arrays.npz", "checks.py"
CELEBRATION = "Every query has found its key."


@dataclass(frozen=True, eq=False)
class PublicHomework:
    """A homework without anything hidden.

    ``mistakes`` are by task what known mistakes return on the same cases, ``diagnoses`` what to say of each
    by its label; without hints there are none. ``course`` says of each homework, in their order, what files
    are told by: the name of the stub, the tasks, and how these are called. ``handed_out`` tells an untouched
    file from one worked on, by a digest of its text for each name; ``handed_out_bytes`` does so by its bytes.
    """

    homework: Homework
    known: tuple[KnownCase, ...]
    checks: tuple[Check, ...]
    mistakes: Mapping[str, Sequence[Variant]]
    diagnoses: Mapping[str, Reason]
    questions: tuple[AnswerForm, ...]
    course: Mapping[str, Mapping[str, Any]]
    handed_out: Mapping[str, str]
    handed_out_bytes: Mapping[str, str]

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that have public checks, in order."""
        return list(dict.fromkeys(one.task for one in self.checks))

    @property
    def after(self) -> tuple[str, ...]:
        """What to say where every public check passes: what comes next, and what is worth reading."""
        then = next(
            (f", then {one}" for one in self.course if one > self.homework.id), ""
        )
        celebration = f"{CELEBRATION} Next: hand it in (python check.py --pack){then}."
        return (celebration, self.reading) if self.reading else (celebration,)

    @property
    def reading(self) -> str:
        return (
            f"Worth reading: {self.homework.further}" if self.homework.further else ""
        )


def open_homework(folder: Path) -> PublicHomework:
    """Read the homework released into a folder; ``ReleaseError`` where a file is missing or broken."""
    home = unpacked(folder) / DATA
    try:
        tree = json.loads((home / HOMEWORK).read_text(encoding="utf-8"))
        arrays = _arrays(home / ARRAYS, tree["arrays"])
        known = tuple(read_known(entry, arrays, arrays) for entry in tree["cases"])
        about = tree["homework"]
        limits, libraries = Limits(**about.pop("limits")), tuple(about.pop("libraries"))
        tasks = tuple(
            Task(**{**task, "returns": tuple(task["returns"])})
            for task in about.pop("tasks")
        )
        # by their path: several homeworks may share one process, and each has its own checks
        checks = ModuleType(f"public_{Path(CHECKS).stem}")
        SourceFileLoader(checks.__name__, str(home / CHECKS)).exec_module(checks)
        return PublicHomework(
            homework=Homework(
                folder=Path(), tasks=tasks, limits=limits, libraries=libraries, **about
            ),
            known=known,
            checks=tuple(read_checks(Path(CHECKS).stem, vars(checks))),
            mistakes={
                task: [
                    read_variant(
                        one["id"], one["answers"], diagnostic_cases(known, task), arrays
                    )
                    for one in variants
                ]
                for task, variants in tree["mistakes"].items()
            },
            diagnoses={
                label: Reason(as_told((label,)), **one)
                for label, one in tree["sayings"].items()
            },
            questions=tuple(
                AnswerForm(**{**one, "options": tuple(one["options"])})
                for one in tree["questions"]
            ),
            course=tree["course"],
            handed_out=tree["handed_out"],
            handed_out_bytes=tree["handed_out_bytes"],
        )
    except (OSError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ReleaseError(
            f"{home} is not whole ({reason}); delete {home.parent} and try again"
        ) from error


def _arrays(path: Path, places: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays by their keys: all of one dtype lie in one row, which is much faster to read."""
    with np.load(path, allow_pickle=False) as rows:
        whole = {dtype: rows[dtype] for dtype in rows.files}
    return {
        key: whole[dtype][start : start + math.prod(shape)].reshape(shape)
        for key, (dtype, start, shape) in places.items()
    }
