"""The dictionary that students fill in, made from the questions; it says nothing of what is right."""

from __future__ import annotations

from autograder.homework.model import CourseError, Homework
from autograder.homework.questions import ANSWERS, Question

MARK = "# {{ answers }}"


def answers_block(homework: Homework) -> str:
    """Return the lines of a stub or notebook that define the dictionary, each answer None."""
    entries = "".join(map(_entry, homework.questions))
    return (
        "# Theory questions: the handout asks them in full. Put your answers in place of None.\n"
        f"{ANSWERS} = {{\n{entries}}}"
    )


def fill_in_answers(homework: Homework, stub: str) -> str:
    """Put the dictionary where the solution's mark stands.

    Raises:
        CourseError: there are questions and no mark, or a mark and no questions.
    """
    marks = [line for line in stub.split("\n") if line.strip() == MARK]
    if marks != [MARK] * bool(homework.questions):
        wanted = "one line" if homework.questions else "no line"
        raise CourseError(
            f"{homework.solution} needs {wanted} {MARK}, for questions.toml decides what is asked"
        )
    return stub.replace(MARK, answers_block(homework)) if marks else stub


def _entry(question: Question) -> str:
    return f'    # {question.title}: {question.form}\n    "{question.id}": None,\n'
