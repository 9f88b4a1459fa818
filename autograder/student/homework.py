"""One homework as students hold it: its public cases with their expected answers, and its public checks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograder.course.answer_form import AnswerForm
from autograder.course.cases import with_limits_of_tasks
from autograder.course.homework import Homework, Task, by_number
from autograder.language import ENGLISH, Language, say
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
FILES = "files"
"""The folder in it with the homework's own data files, as grading has them."""
HOMEWORK = "homework.json"
ARRAYS = "arrays.npz"
CHECKS = "checks.py"


@dataclass(frozen=True, eq=False)
class PublicHomework:
    """A homework without anything hidden.

    ``mistakes`` are by task what known mistakes return on the same cases, ``diagnoses`` what to say of each
    by its label; without hints there are none. ``course`` says of each homework, in their order, how files are
    recognised: the name of the stub, the tasks, and how these are called. ``handed_out`` distinguishes an untouched
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
    def language(self) -> Language:
        """The language that students read."""
        return self.homework.language

    @property
    def tasks(self) -> list[str]:
        """The names of the tasks that have public checks, in order."""
        return list(dict.fromkeys(check.task for check in self.checks))

    def after(self, unanswered: int) -> tuple[str, ...]:
        """Return the closing lines if every public check passes: the next step, and further reading.

        Args:
            unanswered: how many theory questions have no answer yet.
        """
        then = ""
        for homework_id in sorted(self.course, key=by_number):
            if by_number(homework_id) > by_number(self.homework.id):
                then = say(", then {homework}", homework=homework_id)
                break
        hand_in = say("hand it in (python check.py --pack){then}", then=then)
        cheer = self.homework.celebration
        celebration = f"{cheer} {say('Next: {step}.', step=hand_in)}"
        if unanswered:
            count = say("1 question is not answered yet.")
            if unanswered > 1:
                count = say("{count} questions are not answered yet.", count=unanswered)
            after = say("After that, {step}.", step=hand_in)
            celebration = f"{cheer} {count} {after}"
        if not self.reading:
            return (celebration,)
        return (celebration, self.reading)

    @property
    def reading(self) -> str:
        if not self.homework.further:
            return ""
        return say("Worth reading: {source}", source=self.homework.further)


def open_homework(folder: Path) -> PublicHomework:
    """Read the homework released into a folder; ``ReleaseError`` where a file is missing or broken."""
    home = unpacked(folder) / DATA
    try:
        tree = json.loads((home / HOMEWORK).read_text(encoding="utf-8"))
        arrays = _arrays(home / ARRAYS, tree["arrays"])
        known = tuple(read_known(entry, arrays, arrays) for entry in tree["cases"])
        language = ENGLISH
        if "language" in tree:
            language = Language(**tree["language"])
        cases = [known_case.case for known_case in known]
        homework = _homework(tree["homework"], home / FILES, language)
        return PublicHomework(
            homework=with_limits_of_tasks(homework, cases),
            known=known,
            checks=tuple(_checks(home / CHECKS, language)),
            mistakes=_mistakes(tree["mistakes"], known, arrays),
            diagnoses=_reasons(tree["sayings"]),
            questions=tuple(_answer_form(entry) for entry in tree["questions"]),
            course=tree["course"],
            handed_out=tree["handed_out"],
            handed_out_bytes=tree["handed_out_bytes"],
        )
    except (OSError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ReleaseError(
            f"{home} is incomplete ({reason}); delete {home.parent} and try again"
        ) from error


def _homework(entry: dict[str, Any], folder: Path, language: Language) -> Homework:
    tasks = []
    for task in entry.pop("tasks"):
        task["returns"] = tuple(task["returns"])
        tasks.append(Task(**task))
    limits = Limits(**entry.pop("limits"))
    allowed_modules = tuple(entry.pop("allowed_modules"))
    data = tuple(entry.pop("data"))
    return Homework(
        folder=folder,
        tasks=tuple(tasks),
        limits=limits,
        allowed_modules=allowed_modules,
        data=data,
        language=language,
        **entry,
    )


def _checks(path: Path, language: Language) -> list[Check]:
    """Load the checks by their path: several homeworks may share one process, and each has its own."""
    module = ModuleType(f"public_{path.stem}")
    SourceFileLoader(module.__name__, str(path)).exec_module(module)
    checks = []
    for check in read_checks(path.stem, vars(module)):
        checks.append(replace(check, sentence=language.translated(check.sentence)))
    return checks


def _mistakes(
    entries: Mapping[str, Sequence[Mapping[str, Any]]],
    known: Sequence[KnownCase],
    arrays: dict[str, Array],
) -> dict[str, list[Variant]]:
    mistakes: dict[str, list[Variant]] = {}
    for task, variants in entries.items():
        cases = diagnostic_cases(known, task)
        mistakes[task] = []
        for entry in variants:
            variant = read_variant(entry["id"], entry["answers"], cases, arrays)
            mistakes[task].append(variant)
    return mistakes


def _reasons(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Reason]:
    reasons = {}
    for label, entry in entries.items():
        reasons[label] = Reason(as_told((label,)), **entry)
    return reasons


def _answer_form(entry: Mapping[str, Any]) -> AnswerForm:
    return AnswerForm(**{**entry, "options": tuple(entry["options"])})


def _arrays(path: Path, places: Mapping[str, Any]) -> dict[str, Array]:
    """Return the arrays by their keys: all of one dtype are in one row, which is much faster to read."""
    with np.load(path, allow_pickle=False) as file:
        row_of_dtype = {dtype: file[dtype] for dtype in file.files}
    arrays = {}
    for key, (dtype, start, shape) in places.items():
        end = start + math.prod(shape)
        arrays[key] = row_of_dtype[dtype][start:end].reshape(shape)
    return arrays
