"""The answers to theory questions as check results; written ones are collected for people to mark.

Questions are a bonus where the homework does not count them: then a submission that answers none has no
results of them, and a note says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograder.course import THEORY, Choice, Homework, Question, Written
from autograder.judging.answer_form import NONE_FOUND, read_answer, read_answers, strange_keys
from autograder.judging.checks import CheckResult, Outcome
from autograder.sandbox import Answer, visible
from autograder.worker import MAX_TEXT

ROUNDING = 1e-9


@dataclass(frozen=True)
class Theory:
    """The results of one homework's questions, and what to tell about the answers as a whole."""

    checks: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()


def judge_theory(homework: Homework, answer: Answer) -> Theory:
    """Judge the dictionary of answers that a submission left behind; it comes from untrusted code."""
    questions = homework.questions
    if not questions:
        return Theory()
    worth = f"{homework.theory_points:g}{'' if homework.counted else ' bonus'} points"
    found = read_answers(answer)
    given = {} if isinstance(found, str) else found
    strange = strange_keys(given, [one.id for one in questions])
    is_missing = all(read_answer(one.form, given.get(one.id)).is_missing for one in questions)
    why = found if isinstance(found, str) else NONE_FOUND * is_missing
    notes = tuple(filter(None, (f"Theory questions ({worth}): {why}" if why else "", strange)))
    if is_missing and not homework.counted:
        return Theory(notes=notes)
    return Theory(tuple(_judge(one, given.get(one.id)) for one in questions), notes)


def mistake_in(question: Question, value: str | float) -> str:
    """Return why an answer of the right form is wrong; empty where it is right, or for people to mark."""
    if isinstance(question, Choice):
        label = str(value)
        return "" if label == question.right else f"you chose {label}: {question.mistakes[label]}"
    if isinstance(question, Written) or _near(number := float(value), question.number, question.tolerance):
        return ""
    for typical in question.mistakes:
        if _near(number, typical.number, question.tolerance):
            return f"{number:.10g}: {typical.mistake}"
    return f"{number:.10g} is not right. {question.hint}"


def _near(number: float, other: float, tolerance: float) -> bool:
    return math.isclose(number, other, rel_tol=ROUNDING, abs_tol=tolerance)


def _judge(question: Question, given: object) -> CheckResult:
    read = read_answer(question.form, given)
    reason = read.wrong or mistake_in(question, read.value)
    outcome = Outcome.FAILED if reason else Outcome.PASSED
    if isinstance(question, Written) and not reason:
        outcome, reason = Outcome.COLLECTED, f"Collected for your TA ({question.points:g} points)."
    answer = visible(given, MAX_TEXT) if isinstance(given, int | float | str) else ""
    check = f"{THEORY}_{question.id}"
    return CheckResult(check, THEORY, question.title, question.points, outcome, reason, answer=answer)
