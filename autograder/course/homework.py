"""The records that describe a homework, and the error about a course's own files.

Students' machines import this module, so it needs no package but NumPy.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from autograder.course.answer_form import AnswerForm
from autograder.errors import KitError
from autograder.language import ENGLISH, Language
from autograder.sandbox.request import (
    Code,
    DataFiles,
    Limits,
    Request,
    SharedCalls,
)
from autograder.worker.wire import WireCall

LIBRARIES = ("numpy", "torch")
ANSWERS = "answers"
"""The top-level dictionary of a submission that holds the answers to theory questions."""
DRILL, EXAMPLES = "_drill", "_examples"
"""The endings of the ids of drills that are made from a homework."""
EXAMPLES_POINTS = 5.0
"""The points of each task of a drill that asks for inputs."""
THEORY = "theory"
"""The name of the task that holds the points of theory questions."""


CELEBRATION = "Well done."
"""What students read when they do, unless the course has a sentence of its own."""


class CourseError(KitError):
    """The course's own files are wrong; the message names the file and the remedy."""


@dataclass(frozen=True)
class Task:
    """A function or class that students write.

    Attributes:
        name: its public name.
        points: the maximum for all of its checks.
        summary: one line for tables.
        returns: the names of the parts of its result in order, for messages.
        value: a top-level notebook variable that counts in place of the function.
        chained: whether the last part is made from the others, so that it is enough to show that they are
            right.
        dtype: with "bool", 0 and 1 in place of booleans are a fault of form; with "int", floats in place of
            whole numbers.
        call_seconds: how long one call for it may take; None if the homework's limit holds.
    """

    name: str
    points: float
    summary: str
    returns: tuple[str, ...]
    value: str | None = None
    chained: bool = False
    dtype: str | None = None
    call_seconds: float | None = None


class Question(Protocol):
    """What holds of a theory question of any kind; ``questions.py`` has the kinds, which need msgspec."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def points(self) -> float: ...

    @property
    def form(self) -> AnswerForm: ...


@dataclass(frozen=True)
class Homework:
    """One homework as its ``homework.toml`` describes it.

    A drill is a separate homework, made from its ``base``: it has the same folder, and the id
    ``<base>_drill`` or ``<base>_examples``.

    Attributes:
        folder: the folder with its files.
        stub: the file name of the stub, and of the reference solution.
        library: what the sandbox imports before it runs a submission: one of ``LIBRARIES``.
        limits: of time and memory, for one run.
        hints: whether students read the reasons of failed checks: "always"; "after_published", which is when
            Gradescope shows those of hidden checks; "never"; or, in a drill at home, "on_request".
        due: when it is due; None where nothing says so.
        further: what is worth reading after it; blank where there is nothing.
        allowed_modules: modules that the students' check admits besides those that every grader has.
        questions: its theory questions.
        questions_count: whether the points of questions are part of the maximum; otherwise they are a bonus.
        drill: the known mistakes in the code that its drill shows.
        base: the homework that a drill is made from.
        celebration: what students read when all public checks pass.
        data: files of its folder that students and submissions may read, by relative path.
        language: the language that its students read.
    """

    id: str
    folder: Path
    title: str
    stub: str
    library: str
    tasks: tuple[Task, ...]
    limits: Limits
    hints: str
    due: dt.datetime | None = None
    further: str = ""
    allowed_modules: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    questions_count: bool = False
    drill: tuple[str, ...] = ()
    base: Homework | None = None
    celebration: str = CELEBRATION
    data: tuple[str, ...] = ()
    language: Language = ENGLISH

    @cached_property
    def data_files(self) -> DataFiles:
        """The content of its data files; ``CourseError`` if one cannot be read."""
        files = {}
        for name in self.data:
            try:
                files[name] = (self.folder / name).read_bytes()
            except OSError as error:
                raise CourseError(
                    f"{self.folder / name} cannot be read: {error}"
                ) from error
        return DataFiles(files)

    def request(
        self,
        code: Code,
        calls: Sequence[WireCall] | SharedCalls,
        limits: Limits | None = None,
        later_calls: SharedCalls | None = None,
        before_later: Callable[[], object] | None = None,
    ) -> Request:
        """Return the request to make calls of a submission to this homework, which may read its data files.

        By default the limits are the homework's; all else is as in ``Request``.
        """
        return Request(
            code=code,
            calls=calls,
            library=self.library,
            limits=limits or self.limits,
            later_calls=later_calls,
            before_later=before_later,
            data=self.data_files,
        )

    @property
    def points(self) -> float:
        """The maximum: the points of all tasks together, and those of questions that are counted."""
        points = sum(task.points for task in self.tasks)
        if self.questions_count:
            points += self.theory_points
        return points

    @property
    def theory_points(self) -> float:
        """The points of all questions together."""
        return sum(question.points for question in self.questions)

    @property
    def solution(self) -> Path:
        """The file of the reference solution; a drill has that of its base."""
        if self.base is not None:
            return self.base.solution
        return self.folder / self.stub

    @property
    def wants_examples(self) -> bool:
        """Whether students hand in inputs that distinguish known mistakes from right code."""
        return self.base is not None and self.id.endswith(EXAMPLES)

    def as_drill(self, kind: str) -> Homework:
        """Return a drill of this homework, which has no due date and no questions.

        Args:
            kind: ``DRILL`` for code with a mistake to fix, ``EXAMPLES`` for inputs to find.
        """
        drill = replace(
            self, id=self.id + kind, due=None, questions=(), further="", base=self
        )
        if kind == DRILL:
            return replace(drill, title=f"{self.title}: find and fix")
        tasks = []
        for task in self.tasks:
            name = f"{task.name}{EXAMPLES}"
            summary = f"inputs of {task.name}"
            tasks.append(
                Task(name, EXAMPLES_POINTS, summary, ("examples",), value=name)
            )
        # Its stub's name must not contain the name of the homework's stub, or files would be taken for both.
        stub = f"{self.id.partition('_')[0]}{EXAMPLES}.py"
        title = f"{self.title}: inputs that expose mistakes"
        return replace(drill, title=title, stub=stub, tasks=tuple(tasks))

    def task(self, name: str) -> Task:
        """Return the task of this name; raises ``CourseError`` if there is none."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise CourseError(
            f"{self.folder.name}: homework.toml has no task named {name!r}"
        )


def by_number(homework_id: str) -> tuple[bool, int, str]:
    """Sort key for ids: hw2 comes before hw10, and ids without a number, such as a project, come last."""
    number = re.match(r"[a-z]+(\d+)", homework_id)
    if number is None:
        return True, 0, homework_id
    return False, int(number[1]), homework_id


def short_id(homework_id: str) -> str:
    """Return "hw1" for "hw1_attention_scores", for the head of a narrow column; of a drill "hw1_drill"."""
    short = homework_id.partition("_")[0]
    for kind in (DRILL, EXAMPLES):
        if homework_id.endswith(kind):
            return short + kind
    return short
