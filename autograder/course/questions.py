"""The theory questions of a homework, as its ``questions.toml`` has them."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, TypeAlias

from msgspec import Meta

from autograder.course.answer_form import AnswerForm
from autograder.course.homework import CourseError
from autograder.course.schema import (
    Amount,
    Name,
    Record,
    Text,
    read_toml,
    refuse_duplicates,
    wrong_value,
)

QUESTIONS = "questions.toml"


class _Titled(Record, tag_field="kind"):
    """What questions of all kinds have."""

    id: Name
    title: Text
    text: Text

    def __post_init__(self) -> None:
        self.title = " ".join(self.title.split())
        self.text = self.text.strip()


class Choice(_Titled, tag="choice"):
    """A question with labelled options; each wrong one has the mistake that leads to it, by its label."""

    points: Amount
    options: dict[str, Text]
    right: str
    mistakes: dict[str, Text]

    def __post_init__(self) -> None:
        super().__post_init__()
        labels = list(self.options)
        if len(labels) < 2 or set(labels) - set(ascii_lowercase):
            raise wrong_value(
                "options",
                "two options or more, each labelled with a small letter",
                labels,
            )
        if self.right not in labels:
            raise wrong_value("right", f"one of {', '.join(labels)}", self.right)
        if set(self.mistakes) != set(labels) - {self.right}:
            raise wrong_value(
                "mistakes", "one for each option but the right one", list(self.mistakes)
            )

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "choice", tuple(self.options))


class TypicalNumber(Record):
    """A wrong number that students arrive at, and the mistake that leads to it."""

    number: float
    mistake: Text


class Numeric(_Titled, tag="numeric"):
    """A question whose answer is a number, right within an absolute tolerance."""

    points: Amount
    number: float
    tolerance: Amount
    hint: Text
    unit: str = ""
    mistakes: tuple[TypicalNumber, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        right_numbers = []
        for typical in self.mistakes:
            if abs(typical.number - self.number) <= self.tolerance:
                right_numbers.append(typical.number)
        if right_numbers:
            raise wrong_value(
                "mistakes",
                "wrong numbers, none of which is right within the tolerance",
                right_numbers,
            )

    @property
    def form(self) -> AnswerForm:
        return AnswerForm(self.id, "numeric", unit=self.unit)


class RubricLine(Record):
    """A part of a written answer that earns points."""

    points: Amount
    text: Text


class Written(_Titled, tag="written"):
    """A question answered in sentences, which people mark by the rubric."""

    rubric: Annotated[
        tuple[RubricLine, ...],
        Meta(min_length=1, description="at least one line"),
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
        ids = [question.id for question in self.questions]
        refuse_duplicates("questions", "id", ids)


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, in order; raises like ``read_toml``, also if two have the same id."""
    return read_toml(path, _QuestionFile).questions


def translated_questions(
    questions: tuple[Question, ...], path: Path
) -> tuple[Question, ...]:
    """Return the questions of a file that translates others.

    Raises:
        CourseError: it cannot be read, or asks for other answers than the questions do.
    """
    translated = read_questions(path)
    if list(map(_judged, translated)) != list(map(_judged, questions)):
        raise CourseError(
            f"{path}: only texts may differ from those in {QUESTIONS}: the questions, their ids, kinds, "
            "options, points and right answers must be the same, in the same order"
        )
    return translated


def _judged(question: Question) -> tuple[object, ...]:
    """Return everything about a question that decides points."""
    match question:
        case Choice():
            return question.form, question.points, question.right
        case Numeric():
            return question.form, question.points, question.number, question.tolerance
        case Written():
            return question.form, tuple(line.points for line in question.rubric)
