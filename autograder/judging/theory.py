"""The answers to theory questions as check results; written ones are collected for people to mark.

A submission that answers no question is graded on its code alone: the questions' points then count neither
for nor against it, and a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course import ANSWERS, THEORY, Choice, Numeric, Question, Written
from autograder.judging.checks import CheckResult, Outcome
from autograder.sandbox import Answer, plain, visible
from autograder.worker import MAX_ENTRIES, MAX_KEY, MAX_TEXT, Unsendable

ROUNDING = 1e-9
LONGEST_QUOTED = 40
NONE_FOUND = f"no answers found; fill in `{ANSWERS}`."


def judge_choice(question: Choice, given: object) -> str | None:
    """Return why a choice is wrong, or None; case, blanks and brackets around the letter do not count."""
    label = given.strip(" \t\n().").casefold() if isinstance(given, str) else None
    if label not in question.options:
        return f"{quoted(given)} is none of the options: answer with {question.form}."
    return None if label == question.right else f"you chose {label}: {question.mistakes[label]}"


def judge_number(question: Numeric, given: object) -> str | None:
    """Return why a number is wrong, or None; it may stand in a text, with or without its unit."""
    number = _number(given, question.unit)
    if number is None:
        return f"{quoted(given)} is not a number: answer with the number alone, such as 12 or 0.5."
    if _near(number, question.number, question.tolerance):
        return None
    for typical in question.mistakes:
        if _near(number, typical.number, question.tolerance):
            return f"{number:.10g}: {typical.mistake}"
    return f"{number:.10g} is not right. {question.hint}"


def quoted(given: object) -> str:
    """Return an answer as it may stand in a sentence."""
    text = " ".join(visible(given, 1000).split())
    return f"“{text if len(text) <= LONGEST_QUOTED else text[:LONGEST_QUOTED] + '…'}”"


def _number(given: object, unit: str) -> float | None:
    """The finite number in an answer, if there is one; True and False are not numbers."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        number = float(given.strip().removesuffix(unit) if isinstance(given, str) else given)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _near(number: float, other: float, tolerance: float) -> bool:
    return math.isclose(number, other, rel_tol=ROUNDING, abs_tol=tolerance)


@dataclass(frozen=True)
class Theory:
    """The results of one homework's questions.

    ``points`` is the most that those judged so far can earn; a written answer adds its own once it is marked.
    """

    checks: tuple[CheckResult, ...] = ()
    points: float = 0.0
    notes: tuple[str, ...] = ()


def judge_theory(questions: Sequence[Question], answer: Answer) -> Theory:
    """Judge the dictionary of answers that a submission left behind; it comes from untrusted code."""
    if not questions:
        return Theory()
    start = f"Theory questions ({sum(question.points for question in questions):g} points): "
    given = _readable(answer)
    if isinstance(given, str):
        return Theory(notes=(start + given,))
    known = [question.id for question in questions]
    strange = [plain(key, MAX_KEY) for key in given if key not in known]
    text = f"`{ANSWERS}` has keys that name no question: {', '.join(strange)}."
    notes = (f"{text} The questions are {', '.join(known)}.",) if strange else ()
    if not any(_is_answered(given.get(question.id)) for question in questions):
        return Theory(notes=(start + NONE_FOUND, *notes))
    checks = tuple(_judge(question, given.get(question.id)) for question in questions)
    judged = sum(check.points for check in checks if check.outcome is not Outcome.COLLECTED)
    return Theory(checks, judged, notes)


def _readable(answer: Answer) -> Mapping[str, object] | str:
    """The dictionary, or a text that says why there is none."""
    if answer.not_defined:
        return NONE_FOUND
    if answer.error is not None:
        return f"`{ANSWERS}` could not be read ({answer.error.type})."
    found = answer.value
    if not isinstance(found, dict) or len(found) > MAX_ENTRIES:
        what = plain(found.description, MAX_KEY) if isinstance(found, Unsendable) else "something else"
        return f"`{ANSWERS}` could not be read: it is {what}, not a short dictionary of texts and numbers."
    return found


def _is_answered(given: object) -> bool:
    return given is not None and not (isinstance(given, str) and not given.strip())


def _judge(question: Question, given: object) -> CheckResult:
    reason = _mistake(question, given)
    outcome = Outcome.FAILED if reason else Outcome.PASSED
    if isinstance(question, Written) and not reason:
        outcome, reason = Outcome.COLLECTED, f"Collected for your TA ({question.points:g} points)."
    answer = visible(given, MAX_TEXT) if isinstance(given, int | float | str) else ""
    check = f"{THEORY}_{question.id}"
    return CheckResult(check, THEORY, question.title, question.points, outcome, reason, answer=answer)


def _mistake(question: Question, given: object) -> str:
    """Return why an answer earns nothing; empty where it is right, or for people to mark."""
    if not _is_answered(given):
        return f"`{ANSWERS}` holds no answer to `{question.id}`."
    most = f", at most {MAX_TEXT} characters" if isinstance(question, Written) else ""
    wanted = f"answer with {question.form}{most}"
    if not isinstance(given, int | float | str):
        what = "neither a text nor a number"
        if isinstance(given, Unsendable):
            what = plain(given.description, MAX_KEY)
        return f"the answer could not be read: it is {what}; {wanted}."
    if isinstance(question, Written):
        if not isinstance(given, str):
            return f"{quoted(given)} is not a text: {wanted}."
        return f"the answer is longer than {MAX_TEXT} characters: {wanted}." if len(given) > MAX_TEXT else ""
    judge = judge_choice(question, given) if isinstance(question, Choice) else judge_number(question, given)
    return judge or ""
