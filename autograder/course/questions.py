"""The theory questions of a homework, as records; ``question_file.py`` reads them.

Students' machines import this module, so it needs no package but NumPy, which ``autograder.course`` imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from autograder.language import say


@dataclass(frozen=True)
class AnswerForm:
    """The form of an answer to a question, without the right answer; as text, an instruction for students.

    ``kind`` is choice, numeric or written; ``options`` are the labels of a choice, ``unit`` that of a number.
    """

    id: str
    kind: str
    options: tuple[str, ...] = ()
    unit: str = ""

    def __str__(self) -> str:
        if self.kind == "choice":
            *others, last = [f'"{label}"' for label in self.options]
            return f"{', '.join(others)} {say('or')} {last}"
        if self.kind == "numeric":
            if self.unit:
                return say("a number ({unit})", unit=self.unit)
            return say("a number")
        return say("two or three sentences")


@dataclass(frozen=True)
class Choice:
    """A question with labelled options; each wrong one has the mistake that leads to it, by its label."""

    id: str
    title: str
    text: str
    points: float
    options: Mapping[str, str]
    right: str
    mistakes: Mapping[str, str]

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "choice", tuple(self.options))


@dataclass(frozen=True)
class TypicalNumber:
    """A wrong number that students arrive at, and the mistake that leads to it."""

    number: float
    mistake: str


@dataclass(frozen=True)
class Numeric:
    """A question whose answer is a number, right within an absolute tolerance."""

    id: str
    title: str
    text: str
    points: float
    number: float
    tolerance: float
    hint: str
    unit: str = ""
    mistakes: tuple[TypicalNumber, ...] = ()

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "numeric", unit=self.unit)


@dataclass(frozen=True)
class RubricLine:
    """A part of a written answer that earns points."""

    points: float
    text: str


@dataclass(frozen=True)
class Written:
    """A question answered in sentences, which people mark by the rubric."""

    id: str
    title: str
    text: str
    rubric: tuple[RubricLine, ...]

    @property
    def points(self) -> float:
        return sum(line.points for line in self.rubric)

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "written")


Question: TypeAlias = Choice | Numeric | Written
