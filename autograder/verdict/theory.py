"""Judge the answers to theory questions; people mark the written ones.

Questions are a bonus where the homework does not count them: then a submission that answers none has no results of
them, and a note says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from autograder.course.homework import THEORY, Homework, Question
from autograder.course.questions import Choice, Numeric
from autograder.language import say
from autograder.sandbox.report import Answer
from autograder.untrusted_text import for_report
from autograder.verdict.checks import NOT_JUDGED, CheckResult, Outcome
from autograder.verdict.theory_answers import (
    NONE_FOUND,
    ReadAnswer,
    read_answer,
    read_answers,
    strange_keys,
)
from autograder.worker.calls import MAX_TEXT

ROUNDING = 1e-9


@dataclass(frozen=True)
class Theory:
    """The results of one homework's questions, and what to say about the answers as a whole."""

    checks: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()


def judge_theory(homework: Homework, answer: Answer) -> Theory:
    """Judge the dictionary of answers that a submission left behind; it comes from untrusted code."""
    questions = homework.questions
    if not questions:
        return Theory()
    answers, trouble = read_answers(answer)
    answers_read = {}
    for question in questions:
        value = answers.get(question.id)
        answers_read[question.id] = read_answer(question.form, value)
    is_missing = all(read.is_missing for read in answers_read.values())
    if is_missing and not trouble:
        trouble = say(NONE_FOUND)

    notes = []
    if trouble:
        worth = say("{points:g} bonus points", points=homework.theory_points)
        if homework.questions_count:
            worth = say("{points:g} points", points=homework.theory_points)
        notes.append(
            say("Theory questions ({worth}): {trouble}", worth=worth, trouble=trouble)
        )
    strange = strange_keys(answers, [question.id for question in questions])
    if strange:
        notes.append(strange)
    if is_missing and not homework.questions_count:
        return Theory(notes=tuple(notes))
    checks = []
    for question in questions:
        value = answers.get(question.id)
        checks.append(_judge(question, value, answers_read[question.id]))
    return Theory(tuple(checks), tuple(notes))


def not_judged(homework: Homework, fault: str) -> Theory:
    """Return the results of questions that could not be judged because the grader failed, which the staff sees."""
    results = [
        replace(_result(question, Outcome.NOT_JUDGED, say(NOT_JUDGED)), staff=fault)
        for question in homework.questions
    ]
    return Theory(tuple(results))


def _result(question: Question, outcome: Outcome, reason: str) -> CheckResult:
    return CheckResult(
        check=f"{THEORY}_{question.id}",
        task=THEORY,
        sentence=question.title,
        points=question.points,
        outcome=outcome,
        reason=reason,
    )


def mistake_in(question: Question, value: str | float) -> str:
    """Return why an answer of the right form is wrong; empty where it is right, or for people to mark."""
    if isinstance(question, Choice):
        label = str(value)
        if label == question.right:
            return ""
        return say(
            "you chose {label}: {mistakes}",
            label=label,
            mistakes=question.mistakes[label],
        )
    if isinstance(question, Numeric):
        number = float(value)
        if _near(number, question.number, question.tolerance):
            return ""
        for typical in question.mistakes:
            if _near(number, typical.number, question.tolerance):
                return f"{number:.10g}: {typical.mistake}"
        return say(
            "{number:.10g} is not right. {hint}", number=number, hint=question.hint
        )
    return ""


def _near(number: float, other: float, tolerance: float) -> bool:
    return math.isclose(number, other, rel_tol=ROUNDING, abs_tol=tolerance)


def _judge(question: Question, value: object, answer: ReadAnswer) -> CheckResult:
    reason = answer.wrong or mistake_in(question, answer.value)
    outcome = Outcome.PASSED
    if reason:
        outcome = Outcome.FAILED
    elif question.form.kind == "written":
        outcome = Outcome.COLLECTED
        reason = say(
            "Collected for your TA ({points:g} points).", points=question.points
        )
    result = _result(question, outcome, reason)
    if isinstance(value, int | float | str):
        return replace(result, answer=for_report(value, MAX_TEXT))
    return result
