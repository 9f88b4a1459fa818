"""The records that describe a homework, and the error where its files are wrong."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.errors import KitError
from autograder.sandbox import Limits

if TYPE_CHECKING:  # reading questions takes a library that students' machines do without
    from autograder.course.questions import Question

LIBRARIES = ("numpy", "torch")
ANSWERS = "answers"
"""The top-level dictionary of a submission that holds the answers to theory questions."""
THEORY = "theory"
"""The task that the points of questions belong to."""


class CourseError(KitError):
    """The course's own files are wrong; the message names the file and the remedy."""


@dataclass(frozen=True)
class Task:
    """One public name that students write.

    ``returns`` names the parts of the returned value in order, for messages; ``value`` names a top-level
    notebook variable that counts instead of the function. ``chained`` says that the last part is made from
    the others, so that it alone shows that they are right.
    """

    name: str
    points: float
    summary: str
    returns: tuple[str, ...]
    value: str | None = None
    chained: bool = False


@dataclass(frozen=True)
class Homework:
    """One homework as its ``homework.toml`` describes it.

    ``libraries`` are those that submissions may import besides what every grader has.
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

    @property
    def points(self) -> float:
        """The points of all tasks together; those of questions count only where one is answered."""
        return sum(task.points for task in self.tasks)

    @property
    def theory_points(self) -> float:
        return sum(question.points for question in self.questions)

    @property
    def solution(self) -> Path:
        return self.folder / self.stub

    def task(self, name: str) -> Task:
        for task in self.tasks:
            if task.name == name:
                return task
        raise CourseError(f"{self.folder.name}: homework.toml has no task named {name!r}")
