"""The theory questions of a homework, as records, and how they are read from ``questions.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, TypeAlias

from msgspec import Meta

from autograder.course.schema import Amount, Name, Record, Text, read_toml, refuse_twins, wrong

QUESTIONS = "questions.toml"


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


class _Question(Record, tag_field="kind"):
    id: Name
    title: Text
    text: Text

    @property
    def common(self) -> tuple[str, str, str]:
        """The id, the title on one line, and the text with its line ends."""
        return self.id, " ".join(self.title.split()), self.text.strip()


class _Choice(_Question, tag="choice"):
    points: Amount
    options: dict[str, Text]
    right: str
    mistakes: dict[str, Text]

    def __post_init__(self) -> None:
        labels = list(self.options)
        if len(labels) < 2 or not set(labels) <= set(ascii_lowercase):
            raise wrong("options", "two options or more, each labelled with a small letter", labels)
        if self.right not in labels:
            raise wrong("right", f"one of {', '.join(labels)}", self.right)
        if set(self.mistakes) != set(labels) - {self.right}:
            raise wrong("mistakes", "one for each option but the right one", list(self.mistakes))

    def question(self) -> Choice:
        """Return what the file describes."""
        options = [Option(label, text, self.mistakes.get(label, "")) for label, text in self.options.items()]
        return Choice(*self.common, self.points, tuple(options))


class _TypicalNumber(Record):
    number: float
    mistake: Text


class _Numeric(_Question, tag="numeric"):
    points: Amount
    number: float
    tolerance: Amount
    hint: Text
    unit: str = ""
    mistakes: tuple[_TypicalNumber, ...] = ()

    def __post_init__(self) -> None:
        right = [one.number for one in self.mistakes if abs(one.number - self.number) <= self.tolerance]
        if right:
            raise wrong("mistakes", "wrong numbers, none of which is right within the tolerance", right)

    def question(self) -> Numeric:
        """Return what the file describes."""
        mistakes = tuple(TypicalNumber(one.number, one.mistake) for one in self.mistakes)
        return Numeric(*self.common, self.points, self.number, self.tolerance, self.hint, self.unit, mistakes)


class _RubricLine(Record):
    points: Amount
    text: Text


class _Written(_Question, tag="written"):
    rubric: Annotated[tuple[_RubricLine, ...], Meta(min_length=1, description="at least one line")]

    def question(self) -> Written:
        """Return what the file describes."""
        return Written(*self.common, tuple(RubricLine(one.points, one.text) for one in self.rubric))


class _QuestionFile(Record):
    questions: Annotated[
        tuple[_Choice | _Numeric | _Written, ...],
        Meta(min_length=1, description="tables, each under [[questions]]"),
    ]

    def __post_init__(self) -> None:
        refuse_twins("questions", "id", (one.id for one in self.questions))


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file in their order.

    Raises:
        CourseError: a key is missing, unknown or of the wrong kind, or two questions have the same id.
    """
    return tuple(one.question() for one in read_toml(path, _QuestionFile).questions)
