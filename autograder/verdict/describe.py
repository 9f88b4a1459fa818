"""What is said of an array that has the right shape and wrong entries."""

from __future__ import annotations

import numpy as np

from autograder.worker.wire import Array

SUM_TOLERANCE = 1e-3
HALF_PRECISION = 0.01
"""How far float16 takes a right result by rounding alone, relative to the largest number."""


@np.errstate(all="ignore")
def describe_values(array: Array, expected: Array, wrong: Array, title: str) -> str:
    """Say how an array of the right shape differs, without showing an expected number."""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    if expected.dtype.kind == "b":
        return _describe_booleans(array, expected, wrong, title, first)
    at = f", first at index {first if len(first) != 1 else first[0]}" if first else ""
    facts = [f"{int(wrong.sum())} of {wrong.size} numbers of {title} are wrong{at}"]
    if not array.any():
        facts.append("all entries are 0")
    elif (np.isfinite(array) & np.isinf(expected)).any():
        facts.append("some are finite where infinity is expected")
    elif expected.ndim:
        due, came = (np.abs(one.sum(axis=-1) - 1).max() for one in (expected, array))
        if due <= SUM_TOLERANCE < came:
            facts.append(
                "the rows do not sum to 1" if array.ndim > 1 else "they do not sum to 1"
            )
            if array.ndim > 1 and np.abs(array.sum(axis=-2) - 1).max() <= SUM_TOLERANCE:
                facts[-1] += ", but the columns do"
    rounded = HALF_PRECISION * max(1.0, float(np.abs(expected).max(initial=0.0)))
    if (
        array.dtype == np.float16
        and np.abs(array - expected).max(initial=0.0) <= rounded
    ):
        facts.append("float16 is too coarse here")
    return "; ".join(facts) + "."


def _describe_booleans(
    array: Array, expected: Array, wrong: Array, title: str, first: tuple[int, ...]
) -> str:
    """Say how booleans differ; of one that is wrong, what is right is no secret."""
    places = ("", "; first at entry {}", "; first at row {}, column {}")
    at = places[len(first)].format(*first) if len(first) < 3 else f"; first at {first}"
    others = int(((array != 0) & (array != 1)).sum())
    fact = f"{int(wrong.sum())} of {wrong.size} entries of {title} are wrong{at}"
    if others:
        return f"{fact}. {others} are neither 0 nor 1; expected are booleans."
    return f"{fact}: {bool(array[first])}, expected {bool(expected[first])}."
