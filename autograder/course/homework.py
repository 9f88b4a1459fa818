"""The records that describe a homework, and the error where its files are wrong."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import KitError
from autograder.sandbox.request import Limits

if (
    TYPE_CHECKING
):  # reading questions takes a library that students' machines do without
    from autograder.course.questions import Question

LIBRARIES = ("numpy", "torch")
ANSWERS = "answers"
"""The top-level dictionary of a submission that holds the answers to theory questions."""
DRILL, EXAMPLES = "_drill", "_examples"
"""What the ids of the drills made from a homework end with."""
EXAMPLES_POINTS = 5.0
"""The points of the inputs of each task."""
THEORY = "theory"
"""The task that the points of questions belong to."""


class CourseError(KitError):
    """The course's own files are wrong; the message names the file and the remedy."""


@dataclass(frozen=True)
class Task:
    """One public name that students write.

    ``returns`` names the parts of the returned value in order, for messages; ``value`` names a top-level
    notebook variable that counts instead of the function. ``chained`` says that the last part is made from
    the others, so that it alone shows that they are right. With the ``dtype`` "bool", 0 and 1 in place of
    booleans are a fault of form.
    """

    name: str
    points: float
    summary: str
    returns: tuple[str, ...]
    value: str | None = None
    chained: bool = False
    dtype: str | None = None


@dataclass(frozen=True)
class AnswerForm:
    """What an answer to a question looks like, and nothing of which one is right; as text, what to put there.

    ``kind`` is choice, numeric or written; ``options`` are the labels of a choice, ``unit`` that of a number.
    """

    id: str
    kind: str
    options: tuple[str, ...] = ()
    unit: str = ""

    def __str__(self) -> str:
        if self.kind == "choice":
            *others, last = (f'"{label}"' for label in self.options)
            return f"{', '.join(others)} or {last}"
        if self.kind == "numeric":
            return f"a number ({self.unit})" if self.unit else "a number"
        return "two or three sentences"


@dataclass(frozen=True)
class Homework:
    """One homework as its ``homework.toml`` describes it.

    Its questions are a bonus, points beyond those of the homework, unless they are ``counted`` among these.
    ``libraries`` are those that the students' check lets in besides what every grader has.
    ``drill`` names the known mistakes that its drill to mend is made with. A drill is a homework of its own,
    made from its ``base``: it has the same folder, and the id ``<base>_drill`` or ``<base>_examples``.
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
    libraries: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    counted: bool = False
    drill: tuple[str, ...] = ()
    base: Homework | None = None

    @property
    def points(self) -> float:
        """The maximum: the points of all tasks together, and those of questions that are counted."""
        return (
            sum(task.points for task in self.tasks) + self.counted * self.theory_points
        )

    @property
    def theory_points(self) -> float:
        return sum(question.points for question in self.questions)

    @property
    def solution(self) -> Path:
        return self.base.solution if self.base else self.folder / self.stub

    @property
    def wants_examples(self) -> bool:
        """Whether inputs are handed in, which tell known mistakes from right code."""
        return self.base is not None and self.id.endswith(EXAMPLES)

    def as_drill(self, kind: str) -> Homework:
        """Return the drill of this homework: mistaken code to mend, or with ``EXAMPLES`` inputs to find.

        It has no due date and no questions.
        """
        made = replace(
            self, id=self.id + kind, due=None, questions=(), further="", base=self
        )
        if kind == DRILL:
            return replace(made, title=f"{self.title}: find and mend")
        named = [
            (f"{task.name}{EXAMPLES}", f"inputs of {task.name}") for task in self.tasks
        ]
        tasks = tuple(
            Task(name, EXAMPLES_POINTS, says, ("examples",), value=name)
            for name, says in named
        )
        stub = f"{self.id.partition('_')[0]}{EXAMPLES}.py"  # it must not hold the name of the homework's stub
        return replace(
            made, title=f"{self.title}: telling inputs", stub=stub, tasks=tasks
        )

    def task(self, name: str) -> Task:
        for task in self.tasks:
            if task.name == name:
                return task
        raise CourseError(
            f"{self.folder.name}: homework.toml has no task named {name!r}"
        )


def by_number(homework_id: str) -> tuple[bool, int, str]:
    """The key that sorts ids: hw2 comes before hw10, and last what has no number, such as a project."""
    number = re.match(r"[a-z]+(\d+)", homework_id)
    return number is None, int(number[1]) if number else 0, homework_id
