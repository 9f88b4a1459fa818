"""Read the theory questions of a homework from its ``questions.toml``."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, TypeAlias

from msgspec import Meta
from msgspec.structs import asdict

from autograder.course.homework import CourseError
from autograder.course.questions import (
    Choice,
    Numeric,
    Question,
    RubricLine,
    TypicalNumber,
    Written,
)
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


class _QuestionTable(Record, tag_field="kind"):
    id: Name
    title: Text
    text: Text

    def __post_init__(self) -> None:
        self.title = " ".join(self.title.split())
        self.text = self.text.strip()


class _ChoiceTable(_QuestionTable, tag="choice"):
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

    def question(self) -> Choice:
        return Choice(**asdict(self))


class _TypicalNumberTable(Record):
    number: float
    mistake: Text


class _NumericTable(_QuestionTable, tag="numeric"):
    points: Amount
    number: float
    tolerance: Amount
    hint: Text
    unit: str = ""
    mistakes: tuple[_TypicalNumberTable, ...] = ()

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

    def question(self) -> Numeric:
        mistakes = [TypicalNumber(**asdict(typical)) for typical in self.mistakes]
        return Numeric(**asdict(self) | {"mistakes": tuple(mistakes)})


class _RubricLineTable(Record):
    points: Amount
    text: Text


class _WrittenTable(_QuestionTable, tag="written"):
    rubric: Annotated[
        tuple[_RubricLineTable, ...],
        Meta(min_length=1, description="at least one line"),
    ]

    def question(self) -> Written:
        rubric = [RubricLine(**asdict(line)) for line in self.rubric]
        return Written(**asdict(self) | {"rubric": tuple(rubric)})


_Table: TypeAlias = _ChoiceTable | _NumericTable | _WrittenTable


class _QuestionFile(Record):
    questions: Annotated[
        tuple[_Table, ...],
        Meta(min_length=1, description="tables, each under [[questions]]"),
    ]

    def __post_init__(self) -> None:
        refuse_duplicates("questions", "id", (table.id for table in self.questions))


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, in order; raises like ``read_toml``, also if two have the same id."""
    file = read_toml(path, _QuestionFile)
    return tuple(table.question() for table in file.questions)


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
