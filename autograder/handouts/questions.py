"""Theory questions as a handout asks them: title, text and options, and never what is right."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from autograder.homework.model import Homework
from autograder.homework.questions import ANSWERS, Choice, Question

INDENT = "   "


def question_list(homework: Homework, where: str | None = None) -> str:
    """Return the questions as a numbered Markdown list, after a sentence on how to answer; or nothing.

    ``where`` says where the answers go; by default that is the end of the stub.
    """
    if not homework.questions:
        return ""
    asked = [_asked(number, one) for number, one in enumerate(homework.questions, start=1)]
    return "\n\n".join([_how_to_answer(homework, where or f"at the end of `{homework.stub}`"), *asked])


def _how_to_answer(homework: Homework, where: str) -> str:
    return (
        f"Put your answers into the dictionary `{ANSWERS}` {where}. They are worth "
        f"{homework.theory_points:g} points more, which count as soon as you answer one of them."
    )


def _asked(number: int, question: Question) -> str:
    head = f"{number}. **{question.title}** (`{question.id}`: {question.form}; {_points(question.points)})"
    return "\n\n".join([head, *(indent(part, INDENT) for part in _parts(question))])


def _parts(question: Question) -> Iterator[str]:
    yield question.text
    if isinstance(question, Choice):
        yield "\n".join(f"- `{option.label}`: {option.text}" for option in question.options)


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"
