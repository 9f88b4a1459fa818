"""The answers to theory questions: what can be read as one, and what it earns; people mark written ones.

Students' own checks read answers as grading does, and judge none. Questions are a bonus where the homework
does not count them: then a submission that answers none has no results of them, and a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.homework import ANSWERS, THEORY, Homework
from autograder.course.questions import AnswerForm, Choice, Question, Written
from autograder.sandbox.report import Answer, plain, visible
from autograder.verdict.checks import NOT_JUDGED, CheckResult, Outcome
from autograder.worker.calls import MAX_ENTRIES, MAX_KEY, MAX_TEXT
from autograder.worker.wire import Unsendable

ROUNDING = 1e-9
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
        what = (
            plain(found.description, MAX_KEY)
            if isinstance(found, Unsendable)
            else "something else"
        )
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
        return Given(
            wrong=f"`{ANSWERS}` holds no answer to `{form.id}`.", is_missing=True
        )
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
    return Given(
        given, f"the answer is longer than {MAX_TEXT} characters: {wanted}." * is_long
    )


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
        number = float(
            given.strip().removesuffix(form.unit) if isinstance(given, str) else given
        )
    except (ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number) and not isinstance(given, bool):
        return Given(number)
    return Given(
        wrong=f"{quoted(given)} is not a number: answer with the number alone, such as 12 or 0.5."
    )


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
    is_missing = all(
        read_answer(one.form, given.get(one.id)).is_missing for one in questions
    )
    why = found if isinstance(found, str) else NONE_FOUND * is_missing
    notes = tuple(
        filter(None, (f"Theory questions ({worth}): {why}" if why else "", strange))
    )
    if is_missing and not homework.counted:
        return Theory(notes=notes)
    return Theory(tuple(_judge(one, given.get(one.id)) for one in questions), notes)


def not_judged(homework: Homework, fault: str) -> Theory:
    """Return the results of questions that could not be judged for our fault, which is told to the staff."""
    results = []
    for question in homework.questions:
        check = f"{THEORY}_{question.id}"
        about = (check, THEORY, question.title, question.points)
        results.append(CheckResult(*about, Outcome.NOT_JUDGED, NOT_JUDGED, staff=fault))
    return Theory(tuple(results))


def mistake_in(question: Question, value: str | float) -> str:
    """Return why an answer of the right form is wrong; empty where it is right, or for people to mark."""
    if isinstance(question, Choice):
        label = str(value)
        return (
            ""
            if label == question.right
            else f"you chose {label}: {question.mistakes[label]}"
        )
    if isinstance(question, Written) or _near(
        number := float(value), question.number, question.tolerance
    ):
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
    if question.form.kind == "written" and not reason:
        outcome, reason = (
            Outcome.COLLECTED,
            f"Collected for your TA ({question.points:g} points).",
        )
    answer = visible(given, MAX_TEXT) if isinstance(given, int | float | str) else ""
    check = f"{THEORY}_{question.id}"
    return CheckResult(
        check, THEORY, question.title, question.points, outcome, reason, answer=answer
    )
