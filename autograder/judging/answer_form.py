"""The form of answers to theory questions: what can be read as an answer, whether or not it is right.

Students' own checks judge by this as grading does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course import ANSWERS, AnswerForm
from autograder.sandbox import Answer, plain, visible
from autograder.worker import MAX_ENTRIES, MAX_KEY, MAX_TEXT, Unsendable

LONGEST_QUOTED = 40
NONE_FOUND = f"no answers found; fill in `{ANSWERS}`."


@dataclass(frozen=True)
class Given:
    """One answer as it was read: a label, a number or a text; or in ``wrong`` why it is none of them."""

    value: str | float = ""
    wrong: str = ""
    is_missing: bool = False


def read_answers(answer: Answer) -> Mapping[str, object] | str:
    """Return the dictionary that a submission left behind, or a text that says why there is none."""
    if answer.not_defined:
        return NONE_FOUND
    if answer.error is not None:
        return f"`{ANSWERS}` could not be read ({answer.error.type})."
    found = answer.value
    if not isinstance(found, dict) or len(found) > MAX_ENTRIES:
        what = plain(found.description, MAX_KEY) if isinstance(found, Unsendable) else "something else"
        return f"`{ANSWERS}` could not be read: it is {what}, not a short dictionary of texts and numbers."
    return found


def strange_keys(given: Mapping[str, object], known: Sequence[str]) -> str:
    """Name the keys that no question has; empty where there is none."""
    strange = [plain(key, MAX_KEY) for key in given if key not in known]
    text = f"`{ANSWERS}` has keys that name no question: {', '.join(strange)}."
    return f"{text} The questions are {', '.join(known)}." if strange else ""


def read_answer(form: AnswerForm, given: object) -> Given:
    """Read the answer to one question; it comes from untrusted code."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return Given(wrong=f"`{ANSWERS}` holds no answer to `{form.id}`.", is_missing=True)
    wanted = f"answer with {form}{f', at most {MAX_TEXT} characters' * (form.kind == 'written')}"
    if not isinstance(given, int | float | str):
        what = "neither a text nor a number"
        if isinstance(given, Unsendable):
            what = plain(given.description, MAX_KEY)
        return Given(wrong=f"the answer could not be read: it is {what}; {wanted}.")
    if form.kind == "choice":
        return _read_choice(form, given)
    if form.kind == "numeric":
        return _read_number(form, given)
    if not isinstance(given, str):
        return Given(wrong=f"{quoted(given)} is not a text: {wanted}.")
    is_long = len(given) > MAX_TEXT
    return Given(given, f"the answer is longer than {MAX_TEXT} characters: {wanted}." * is_long)


def quoted(given: object) -> str:
    """Return an answer as it may stand in a sentence."""
    text = " ".join(visible(given, 1000).split())
    return f"“{text if len(text) <= LONGEST_QUOTED else text[:LONGEST_QUOTED] + '…'}”"


def _read_choice(form: AnswerForm, given: float | str) -> Given:
    """Case, blanks and brackets around the letter do not count."""
    label = given.strip(" \t\n().").casefold() if isinstance(given, str) else ""
    if label in form.options:
        return Given(label)
    return Given(wrong=f"{quoted(given)} is none of the options: answer with {form}.")


def _read_number(form: AnswerForm, given: float | str) -> Given:
    """A finite number, also as a text, with or without its unit; True and False are none."""
    try:
        number = float(given.strip().removesuffix(form.unit) if isinstance(given, str) else given)
    except (ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number) and not isinstance(given, bool):
        return Given(number)
    return Given(wrong=f"{quoted(given)} is not a number: answer with the number alone, such as 12 or 0.5.")
