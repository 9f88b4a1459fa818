"""Say which entries of an array of the right shape are wrong, without showing an expected number."""

from __future__ import annotations

import numpy as np

from autograder.language import say
from autograder.verdict.describe import count_of
from autograder.worker.wire import Array

SUM_TOLERANCE = 1e-3
HALF_PRECISION = 0.01
"""How far float16 takes a right result by rounding, relative to the largest number."""


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def describe_values(array: Array, expected: Array, wrong: Array, title: str) -> str:
    """Describe the wrong entries of an array.

    Args:
        array: the answer, of the expected shape.
        expected: the right values; only a wrong boolean's opposite is shown.
        wrong: booleans that mark the wrong entries, at least one.
        title: what the array is called.
    """
    first = tuple(np.argwhere(wrong)[0].tolist())
    if expected.dtype.kind == "b":
        return _describe_booleans(array, expected, wrong, title, first)

    at = ""
    if first:
        index = first
        if len(first) == 1:
            [index] = first
        at = say(", first at index {first}", first=index)
    count = count_of(wrong, "numbers", title)
    facts = [say("{count} wrong{at}", count=count, at=at)]

    is_infinity_missed = np.isfinite(array) & np.isinf(expected)
    if not array.any():
        facts.append(say("all entries are 0"))
    elif is_infinity_missed.any():
        facts.append(say("some are finite where infinity is expected"))
    elif expected.ndim and sum_error(expected, -1) <= SUM_TOLERANCE:
        # That rows of attention weights sum to 1 is no secret.
        if sum_error(array, -1) > SUM_TOLERANCE:
            fact = say("they do not sum to 1")
            if array.ndim > 1:
                fact = say("the rows do not sum to 1")
                if sum_error(array, -2) <= SUM_TOLERANCE:
                    fact = say("the rows do not sum to 1, but the columns do")
            facts.append(fact)
    if array.dtype == np.float16 and _is_rounded(array, expected):
        facts.append(say("float16 keeps three digits"))
    text = "; ".join(facts)
    return f"{text}."


def sum_error(array: Array, axis: int) -> float:
    """Return how far the sums along an axis are from 1 at most."""
    sums = array.sum(axis=axis)
    errors = np.abs(sums - 1)
    return float(errors.max())


def _is_rounded(array: Array, expected: Array) -> bool:
    """Return whether an array is right but for the rounding of float16."""
    largest = np.abs(expected).max(initial=1.0)
    differences = np.abs(array - expected)
    distance = differences.max(initial=0.0)
    rounding = HALF_PRECISION * largest
    return bool(distance <= rounding)


def _describe_booleans(
    array: Array, expected: Array, wrong: Array, title: str, first: tuple[int, ...]
) -> str:
    """Describe wrong booleans; the right value of the first one is no secret, it is the opposite."""
    at = ""
    if len(first) == 1:
        at = say("; first at entry {entry}", entry=first[0])
    elif len(first) == 2:
        row, column = first
        at = say("; first at row {row}, column {column}", row=row, column=column)
    elif first:
        at = say("; first at {first}", first=first)
    count = count_of(wrong, "entries", title)
    fact = say("{count} wrong{at}", count=count, at=at)
    is_boolean = (array == 0) | (array == 1)
    others = array.size - int(is_boolean.sum())
    if others:
        verb = say("is" if others == 1 else "are")
        return say(
            "{fact}. {others} {verb} neither 0 nor 1; expected booleans.",
            fact=fact,
            others=others,
            verb=verb,
        )
    return say(
        "{fact}: {answer}, expected {expected}.",
        fact=fact,
        answer=bool(array[first]),
        expected=bool(expected[first]),
    )
