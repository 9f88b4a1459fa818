"""The answers to theory questions as check results; written ones are collected for people to mark.

A submission that answers no question is graded on its code alone: the questions' points then count neither
for nor against it, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.checks.run import CheckResult, Outcome
from autograder.comparison.theory import judge_choice, judge_number, quoted
from autograder.homework.questions import ANSWERS, THEORY, Choice, Question, Written
from autograder.sandbox.report import Answer, plain, visible
from autograder.worker.answers import MAX_ENTRIES, MAX_KEY, MAX_TEXT
from autograder.worker.wire import Unsendable


@dataclass(frozen=True)
class Theory:
    """What the questions of one homework brought.

    ``points`` is the most that those judged so far could; a written answer adds its own once it is marked.
    """

    checks: tuple[CheckResult, ...] = ()
    points: float = 0.0
    notes: tuple[str, ...] = ()


def judge_theory(questions: Sequence[Question], answer: Answer) -> Theory:
    """Judge the dictionary of answers that a submission left behind.

    Args:
        questions: the homework's questions; without any the result is empty.
        answer: what the worker read; it comes from untrusted code.
    """
    if not questions:
        return Theory()
    points = sum(question.points for question in questions)
    given = _readable(answer)
    if isinstance(given, str):
        return Theory(notes=(f"Theory questions ({points:g} points): {given}",))
    notes = _notes_on_keys(questions, given)
    if not any(_is_answered(given.get(question.id)) for question in questions):
        return Theory(notes=(f"Theory questions ({points:g} points): {_NONE_FOUND}", *notes))
    checks = tuple(_result(question, given.get(question.id)) for question in questions)
    judged = sum(check.points for check in checks if check.outcome is not Outcome.COLLECTED)
    return Theory(checks, judged, notes)


_NONE_FOUND = f"no answers found; fill in `{ANSWERS}`."


def _readable(answer: Answer) -> Mapping[str, object] | str:
    """The dictionary, or in words why there is none."""
    if answer.not_defined:
        return _NONE_FOUND
    if answer.error is not None:
        return f"`{ANSWERS}` could not be read ({answer.error.type})."
    found = answer.value
    if not isinstance(found, dict) or len(found) > MAX_ENTRIES:
        what = plain(found.description, MAX_KEY) if isinstance(found, Unsendable) else "something else"
        return f"`{ANSWERS}` could not be read: it is {what}, not a short dictionary of texts and numbers."
    return found


def _notes_on_keys(questions: Sequence[Question], given: Mapping[str, object]) -> tuple[str, ...]:
    known = [question.id for question in questions]
    strange = [plain(key, MAX_KEY) for key in given if key not in known]
    if not strange:
        return ()
    return (
        f"`{ANSWERS}` has keys that name no question: {', '.join(strange)}. "
        f"The questions are {', '.join(known)}.",
    )


def _is_answered(given: object) -> bool:
    return given is not None and not (isinstance(given, str) and not given.strip())


def _result(question: Question, given: object) -> CheckResult:
    outcome, reason = _judge(question, given)
    return CheckResult(
        check=f"{THEORY}_{question.id}",
        task=THEORY,
        sentence=question.title,
        points=question.points,
        outcome=outcome,
        reason=reason,
        answer=visible(given, MAX_TEXT) if isinstance(given, int | float | str) else "",
    )


def _judge(question: Question, given: object) -> tuple[Outcome, str]:
    if not _is_answered(given):
        return Outcome.FAILED, f"`{ANSWERS}` holds no answer to `{question.id}`."
    if isinstance(given, Unsendable) or not isinstance(given, int | float | str):
        return Outcome.FAILED, f"the answer could not be read: it is {_kind(given)}; {_wanted(question)}."
    if isinstance(question, Written):
        return _collect(question, given)
    judge = judge_choice(question, given) if isinstance(question, Choice) else judge_number(question, given)
    return (Outcome.PASSED, "") if judge is None else (Outcome.FAILED, judge)


def _collect(question: Written, given: object) -> tuple[Outcome, str]:
    if not isinstance(given, str):
        return Outcome.FAILED, f"{quoted(given)} is no text: {_wanted(question)}."
    if len(given) > MAX_TEXT:
        return Outcome.FAILED, f"the answer is longer than {MAX_TEXT} characters: {_wanted(question)}."
    return Outcome.COLLECTED, f"Collected for your TA ({question.points:g} points)."


def _kind(given: object) -> str:
    return plain(given.description, MAX_KEY) if isinstance(given, Unsendable) else "no text and no number"


def _wanted(question: Question) -> str:
    most = f", at most {MAX_TEXT} characters" if isinstance(question, Written) else ""
    return f"answer with {question.form}{most}"
