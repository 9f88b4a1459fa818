"""What the explanations ask of failed cases and of the answers to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.reasons.agreement import (
    LARGEST_CASE,
)
from autograder.reasons.context import Context
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    deviation,
    has_items,
)
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCase

Look = Callable[[Context, Sequence[KnownCase]], Reason | None]
"""Looks for one reason behind the failed cases of one check."""


def first_reason(
    looks: Sequence[Look], context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Return the reason of the first look that finds one."""
    for look in looks:
        reason = look(context, failed)
        if reason is not None:
            return reason
    return None


def judged_answers(
    context: Context, cases: Sequence[KnownCase]
) -> dict[KnownCase, Answer]:
    """Return the cases that are judged instead of some cases, with the answers to them."""
    answers = {}
    for case in cases:
        known, key = context.judged(case)
        answers[known] = context.submission.answers[key]
    return answers


def are_wrong(context: Context, cases: Sequence[KnownCase]) -> bool:
    """Return whether all values are wrong, and not only gradients, say, or the form of the answers."""
    for case in cases:
        known, key = context.judged(case)
        if known.is_right(context.submission.answers[key]):
            return False
    return True


def cases_of_one_function(context: Context, known: KnownCase) -> list[KnownCase]:
    """Return all cases of the function that a case calls and that expect arrays, if it expects one."""
    name = known.case.call.name
    cases = []
    for other in context.cases.known:
        if other.case.call.name == name and other.is_structured == known.is_structured:
            cases.append(other)
    return cases


def first_wrong(known: KnownCase, value: Any) -> tuple[Any, Any]:
    """Return the answer, or the first wrong part of a tuple of the right length, with the expected value.

    Both are None where nothing is wrong.
    """
    if has_parts(known, value):
        place = first_wrong_place(known, value)
        if place is None:
            return None, None
        return value[place], known.expected[place]
    if deviation(value, known.expected) > known.tolerance:
        return value, known.expected
    return None, None


def first_wrong_place(known: KnownCase, value: Any) -> int | None:
    """Return the index of the first wrong part of a tuple of the right length; None where there are no parts."""
    if not has_parts(known, value):
        return None
    for place, (part, expected) in enumerate(zip(value, known.expected, strict=True)):
        if deviation(part, expected) > known.tolerance:
            return place
    return None


def has_parts(known: KnownCase, value: Any) -> bool:
    """Return whether a value has as many parts as are expected."""
    if not isinstance(known.expected, tuple | list):
        return False
    return has_items(value, len(known.expected))


def have_same_numbers(value: Any, other: Any) -> bool:
    """Return whether two values, of which a submission may have made both, hold the same numbers in one shape."""
    array = as_array(value, LARGEST_CASE)
    other_array = as_array(other, LARGEST_CASE)
    if array is not None and other_array is not None:
        return bool(np.array_equal(array, other_array))
    if not isinstance(value, tuple | list) or not isinstance(other, tuple | list):
        return False
    if not 0 < len(value) == len(other) <= MOST_PARTS:
        return False
    return all(map(have_same_numbers, value, other))
