"""Theory questions of a homework: what is asked, and how each kind of answer is told right from wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

ANSWERS = "answers"
"""The top-level dictionary of a submission that holds the answers."""
THEORY = "theory"
"""The task that the points of questions belong to."""


@dataclass(frozen=True)
class Option:
    """One option of a choice; ``mistake`` says which thought leads to it, and is blank for the right one."""

    label: str
    text: str
    mistake: str = ""


@dataclass(frozen=True)
class Choice:
    """A question with options, one of which is right."""

    id: str
    title: str
    text: str
    points: float
    options: tuple[Option, ...]

    @property
    def form(self) -> str:
        """What an answer looks like."""
        labels = [f'"{option.label}"' for option in self.options]
        return f"{', '.join(labels[:-1])} or {labels[-1]}"


@dataclass(frozen=True)
class TypicalNumber:
    """A wrong number that students arrive at, and the thought that leads there."""

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
    def form(self) -> str:
        """What an answer looks like."""
        return f"a number ({self.unit})" if self.unit else "a number"


@dataclass(frozen=True)
class RubricLine:
    """One thing that a written answer earns points for."""

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
        """The points of the rubric's lines together."""
        return sum(line.points for line in self.rubric)

    @property
    def form(self) -> str:
        """What an answer looks like."""
        return "two or three sentences"


Question: TypeAlias = Choice | Numeric | Written
