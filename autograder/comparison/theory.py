"""One answer to a theory question against what is right: the thought that led astray, or nothing."""

from __future__ import annotations

import math

from autograder.homework.questions import Choice, Numeric
from autograder.sandbox.report import visible

ROUNDING = 1e-9
LONGEST_QUOTED = 40


def judge_choice(question: Choice, given: object) -> str | None:
    """Return why a choice is wrong, or None; case, blanks and brackets around the letter do not count."""
    label = given.strip(" \t\n().").casefold() if isinstance(given, str) else None
    option = next((one for one in question.options if one.label == label), None)
    if option is None:
        return f"{quoted(given)} is none of the options: answer with {question.form}."
    return f"you chose {option.label}: {option.mistake}" if option.mistake else None


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
    """The finite number in an answer, if there is one; True and False are none."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        number = float(given.strip().removesuffix(unit) if isinstance(given, str) else given)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _near(number: float, other: float, tolerance: float) -> bool:
    return math.isclose(number, other, rel_tol=ROUNDING, abs_tol=tolerance)
