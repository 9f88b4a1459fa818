"""Answers that are right, or those of a known mistake, once they are transposed or negated."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.language import say
from autograder.reasons.agreement import are_right, diagnostic_cases
from autograder.reasons.context import Context
from autograder.reasons.transforms import OF_RESULT
from autograder.reasons.wrong import ArrayChange, labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_answer,
    as_entries,
    deviation,
    split,
    wrong_entries,
)
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.interface import parts_of
from autograder.verdict.known import KnownCase
from autograder.verdict.titles import with_article


def turned(context: Context, task: str) -> Reason | None:
    """Find a part of the answers that is right, or equal to a known mistake, once transposed or negated.

    Matrices of a batch that are right as they came back stay as they are.

    Args:
        context: the submission, and what names known mistakes.
        task: name of the task, of which all diagnostic cases are looked at.
    """
    cases = diagnostic_cases(context.cases.known, task)
    answers = context.judged_answers(cases)
    if all(known.is_right(answer) for known, answer in answers.items()):
        return None
    first_case = next(iter(answers))
    parts = parts_of(first_case.expected)[:MOST_PARTS]
    expected_parts = list(enumerate(map(as_entries, parts)))
    names = context.homework.task(task).returns

    # First all turns after which the answers are right, then those after which they are a known mistake's.
    for makes_right, turn, (index, expected) in itertools.product(
        (True, False), OF_RESULT, expected_parts
    ):
        if expected is None or expected.dtype.kind not in turn.dtype_kinds:
            continue
        if expected.ndim < turn.least_axes:
            continue
        if _is_part_right_throughout(answers, index):
            continue  # turned, right numbers may look like those of a mistake

        # A symmetric matrix is right either way.
        keeps_right = makes_right and turn.label == "returns-transposed"
        turned_answers = {}
        for known, answer in answers.items():
            turned_answers[known.case.id] = _with_turned_part(
                known, answer, index, turn.change, keeps_right
            )
        mistake = NO_REASON
        if makes_right:
            holds = are_right(turned_answers, answers)
        else:
            mistake = context.diagnose(task, turned_answers, [*answers], pairs=False)
            holds = bool(mistake.labels)
        if not holds:
            continue

        name = names[index] if index < len(names) else say("result")
        exchange = say("the last two axes (`.swapaxes(-1, -2)`)")
        if expected.ndim == 2:
            exchange = say("rows and columns (`.T`)")
        result = say("The value returned for {name}", name=with_article(name))
        fact = say(turn.says, result=result, exchange=exchange)
        ending = mistake.says or say("Otherwise its values are right.")
        return labelled(turn.label, f"{fact} {ending}", mistake)
    return None


def _is_part_right_throughout(answers: Mapping[KnownCase, Answer], index: int) -> bool:
    """Return whether one part of all answers with a value is right as it came back."""
    has_values = False
    for known, answer in answers.items():
        if not answer.is_usable:
            continue
        has_values = True
        if not isinstance(known.expected, tuple):
            if not known.is_right(answer):
                return False
            continue
        parts = split(answer.value, known.expected)
        if parts is None:
            return False
        if not deviation(parts[index], known.expected[index]) <= known.tolerance:
            return False
    return has_values


def _with_turned_part(
    known: KnownCase,
    answer: Answer,
    index: int,
    undo: ArrayChange,
    keeps_right: bool,
) -> Answer:
    """Return the answer with one part turned, if the returned value may be the expected part.

    Args:
        known: the case.
        answer: the answer to it.
        index: which part of an expected tuple; 0 for a single value.
        undo: turns the part.
        keeps_right: leave matrices of a batch that are right as they are.
    """
    is_tuple = isinstance(known.expected, tuple)
    expected_parts = parts_of(known.expected)
    parts: Sequence[Any] = [answer.value]
    if is_tuple:
        parts = split(answer.value, expected_parts) or ()
    expected = as_entries(expected_parts[index])
    if not parts or expected is None:
        return answer
    array = as_answer(parts[index], expected)
    if array is None or array.ndim != expected.ndim:
        return answer

    turned_array = undo(array)
    if keeps_right and array.ndim > 1:
        if array.shape == expected.shape == turned_array.shape:
            wrong = wrong_entries(array, expected, known.tolerance)
            is_wrong_matrix = wrong.any(axis=(-1, -2), keepdims=True)
            turned_array = np.where(is_wrong_matrix, turned_array, array)
    if not is_tuple:
        return replace(answer, value=turned_array)
    turned_parts = (*parts[:index], turned_array, *parts[index + 1 :])
    return replace(answer, value=turned_parts)
