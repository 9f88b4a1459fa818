"""The theory questions of a homework, as records, and how they are read from ``questions.toml``."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, TypeAlias

from msgspec import Meta

from autograder.course.homework import AnswerForm
from autograder.course.schema import (
    Amount,
    Name,
    Record,
    Text,
    read_toml,
    refuse_twins,
    wrong,
)

QUESTIONS = "questions.toml"


class _Question(Record, tag_field="kind"):
    id: Name
    title: Text
    text: Text

    def __post_init__(self) -> None:
        self.title = " ".join(self.title.split())
        self.text = self.text.strip()


class Choice(_Question, tag="choice"):
    """A question with options by their labels; each but the right one has the mistake that leads to it."""

    points: Amount
    options: dict[str, Text]
    right: str
    mistakes: dict[str, Text]

    def __post_init__(self) -> None:
        super().__post_init__()
        labels = list(self.options)
        if len(labels) < 2 or not set(labels) <= set(ascii_lowercase):
            raise wrong(
                "options",
                "two options or more, each labelled with a small letter",
                labels,
            )
        if self.right not in labels:
            raise wrong("right", f"one of {', '.join(labels)}", self.right)
        if set(self.mistakes) != set(labels) - {self.right}:
            raise wrong(
                "mistakes", "one for each option but the right one", list(self.mistakes)
            )

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "choice", tuple(self.options))


class TypicalNumber(Record):
    """A wrong number that students arrive at, and the thought that leads there."""

    number: float
    mistake: Text


class Numeric(_Question, tag="numeric"):
    """A question whose answer is a number, right within an absolute tolerance."""

    points: Amount
    number: float
    tolerance: Amount
    hint: Text
    unit: str = ""
    mistakes: tuple[TypicalNumber, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        right = [
            one.number
            for one in self.mistakes
            if abs(one.number - self.number) <= self.tolerance
        ]
        if right:
            raise wrong(
                "mistakes",
                "wrong numbers, none of which is right within the tolerance",
                right,
            )

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "numeric", unit=self.unit)


class RubricLine(Record):
    """One thing that a written answer earns points for."""

    points: Amount
    text: Text


class Written(_Question, tag="written"):
    """A question answered in sentences, which people mark by the rubric."""

    rubric: Annotated[
        tuple[RubricLine, ...], Meta(min_length=1, description="at least one line")
    ]

    @property
    def points(self) -> float:
        return sum(line.points for line in self.rubric)

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "written")


Question: TypeAlias = Choice | Numeric | Written


class _QuestionFile(Record):
    questions: Annotated[
        tuple[Question, ...],
        Meta(min_length=1, description="tables, each under [[questions]]"),
    ]

    def __post_init__(self) -> None:
        refuse_twins("questions", "id", (one.id for one in self.questions))


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, in order; raises as ``read_toml``, also where two have one id."""
    return read_toml(path, _QuestionFile).questions
