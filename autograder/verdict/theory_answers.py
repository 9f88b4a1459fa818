"""Read the answers to theory questions from what a submission left behind.

Students' own checks read them as grading does, and judge none, so this module knows the forms of answers only.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.answer_form import AnswerForm
from autograder.course.homework import ANSWERS
from autograder.language import say
from autograder.sandbox.report import Answer
from autograder.untrusted_text import for_report, name_for_report
from autograder.worker.calls import MAX_ENTRIES, MAX_KEY, MAX_TEXT
from autograder.worker.wire import Unsendable

LONGEST_QUOTED = 40
NONE_FOUND = f"no answers found; fill in `{ANSWERS}`."


@dataclass(frozen=True)
class ReadAnswer:
    """An answer to a question: its label, number or text, or in ``wrong`` the reason why it is no such value."""

    value: str | float = ""
    wrong: str = ""
    is_missing: bool = False


def read_answers(answer: Answer) -> tuple[Mapping[str, object], str]:
    """Return the dictionary that a submission left behind; an empty one with a text that says why."""
    if answer.not_defined:
        return {}, say(NONE_FOUND)
    if answer.error is not None:
        trouble = say(
            "`{answers}` could not be read ({error}).",
            answers=ANSWERS,
            error=answer.error.type,
        )
        return {}, trouble
    answers = answer.value
    if isinstance(answers, dict) and len(answers) <= MAX_ENTRIES:
        return answers, ""
    kind = say("something else")
    if isinstance(answers, Unsendable):
        kind = name_for_report(answers.description, MAX_KEY)
    trouble = say(
        "`{answers}` could not be read: it is {kind}, not a short "
        "dictionary of texts and numbers.",
        answers=ANSWERS,
        kind=kind,
    )
    return {}, trouble


def strange_keys(answers: Mapping[str, object], questions: Sequence[str]) -> str:
    """Name the keys that no question has; empty where there is none."""
    strange = []
    for key in answers:
        if key not in questions:
            strange.append(name_for_report(key, MAX_KEY))
    if not strange:
        return ""
    sentences = [
        say(
            "`{answers}` has unknown keys: {strange}.",
            answers=ANSWERS,
            strange=", ".join(strange),
        )
    ]
    for key in strange:
        for meant in difflib.get_close_matches(key, questions, n=1):
            sentences.append(
                say(
                    "Did you mean {question} instead of {key}?", question=meant, key=key
                )
            )
    sentences.append(
        say("The questions are {questions}.", questions=", ".join(questions))
    )
    return " ".join(sentences)


def read_answer(form: AnswerForm, value: object) -> ReadAnswer:
    """Read the answer to one question; it comes from untrusted code."""
    if value is None or (isinstance(value, str) and not value.strip()):
        text = say(
            "`{answers}` holds no answer to `{id}`.", answers=ANSWERS, id=form.id
        )
        return ReadAnswer(wrong=text, is_missing=True)
    if not isinstance(value, int | float | str):
        kind = say("neither a text nor a number")
        if isinstance(value, Unsendable):
            kind = name_for_report(value.description, MAX_KEY)
        return ReadAnswer(
            wrong=say(
                "the answer could not be read: it is {kind}; {advice}.",
                kind=kind,
                advice=_advice(form),
            )
        )
    if form.kind == "choice":
        return _read_choice(form, value)
    if form.kind == "numeric":
        return _read_number(form, value)
    if not isinstance(value, str):
        return ReadAnswer(
            wrong=say(
                "{quoted} is not text: {advice}.",
                quoted=quoted(value),
                advice=_advice(form),
            )
        )
    if len(value) > MAX_TEXT:
        text = say(
            "the answer is longer than {count} characters: {advice}.",
            count=MAX_TEXT,
            advice=_advice(form),
        )
        return ReadAnswer(value, wrong=text)
    return ReadAnswer(value)


def _advice(form: AnswerForm) -> str:
    """Say how to answer."""
    advice = say("answer with {form}", form=form.instruction())
    if form.kind == "written":
        return say(
            "{advice}, at most {count} characters", advice=advice, count=MAX_TEXT
        )
    return advice


def quoted(value: object) -> str:
    """Return an answer as it may stand in a sentence."""
    text = " ".join(for_report(value, 1000).split())
    if len(text) > LONGEST_QUOTED:
        text = f"{text[:LONGEST_QUOTED]}…"
    return f"“{text}”"


def _read_choice(form: AnswerForm, value: float | str) -> ReadAnswer:
    """Read the letter of an option; case, blanks and brackets around it do not count."""
    label = ""
    if isinstance(value, str):
        label = value.strip(" \t\n().").casefold()
    if label in form.options:
        return ReadAnswer(label)
    return ReadAnswer(
        wrong=say(
            "{quoted} is not one of the options: answer with {form}.",
            quoted=quoted(value),
            form=form.instruction(),
        )
    )


def _read_number(form: AnswerForm, value: float | str) -> ReadAnswer:
    """Read a finite number, also as a text, with or without its unit; True and False are none."""
    digits = value
    if isinstance(value, str):
        digits = value.strip().removesuffix(form.unit)
    try:
        number = float(digits)
    except (ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number) and not isinstance(value, bool):
        return ReadAnswer(number)
    return ReadAnswer(
        wrong=say(
            "{quoted} is not a number: answer with only the number, such as 12 or 0.5.",
            quoted=quoted(value),
        )
    )
