"""The parts of an answer next to the expected ones: which of them is wrong, and which hold the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.reasons.agreement import LARGEST_CASE
from autograder.verdict.arrays import MOST_PARTS, as_array, deviation, has_items
from autograder.verdict.known import KnownCase


def first_wrong(known: KnownCase, value: Any) -> tuple[Any, Any]:
    """Return the answer, or the first wrong part of a tuple of the right length, with the expected value.

    Both are None where nothing is wrong.
    """
    if has_parts(known, value):
        part = first_wrong_part(known, value)
        return (None, None) if part is None else (value[part], known.expected[part])
    if deviation(value, known.expected) > known.tolerance:
        return value, known.expected
    return None, None


def first_wrong_part(known: KnownCase, value: Any) -> int | None:
    """Return the index of the first wrong part of a tuple of the right length; None where there are no parts."""
    if not has_parts(known, value):
        return None
    for part, expected in enumerate(known.expected):
        if deviation(value[part], expected) > known.tolerance:
            return part
    return None


def has_parts(known: KnownCase, value: Any) -> bool:
    """Return whether a value has as many parts as are expected."""
    expected = known.expected
    return isinstance(expected, tuple | list) and has_items(value, len(expected))


def have_same_numbers(value: Any, other: Any) -> bool:
    """Return whether two values, of which a submission may have made both, hold the same numbers in one shape."""
    array = as_array(value, LARGEST_CASE)
    other_array = as_array(other, LARGEST_CASE)
    if array is not None and other_array is not None:
        return bool(np.array_equal(array, other_array))
    if not isinstance(value, tuple | list) or not has_items(other, len(value)):
        return False
    if not 0 < len(value) <= MOST_PARTS:
        return False
    return all(map(have_same_numbers, value, other))
