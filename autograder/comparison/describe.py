"""Facts about an array that differs: where, how much of it, and by which simple relation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.sandbox.report import plain
from autograder.worker.wire import Array, Tensor, Unsendable

RATIO_SPREAD = 1e-4
SUM_TOLERANCE = 1e-3


def kind_of(value: Any) -> str:
    """Name the kind of a returned value: "a tuple of 2", "an array of shape (3, 4)", "nothing (None)"."""
    if value is None:
        return "nothing (None)"
    if isinstance(value, Unsendable):
        return plain(value.description, 100)
    if isinstance(value, np.ndarray | Tensor):
        array, word = (value.array, "a tensor") if isinstance(value, Tensor) else (value, "an array")
        dtype = "" if array.dtype.kind in "fiu" else f" and dtype {array.dtype}"
        return f"{word} of shape {array.shape}{dtype}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a value of type {type(value).__name__}"


def describe_values(array: Array, expected: Array, wrong: Array, title: str) -> str:
    """Say how an array of the right shape differs, without showing an expected number."""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    at = f", first at index {first if len(first) != 1 else first[0]}" if first else ""
    facts = [f"{int(wrong.sum())} of {wrong.size} numbers of {title} are wrong{at}"]
    facts += [fact for fact in (_zeros(array), _sums(array, expected), _ratio(array, expected)) if fact]
    if array.dtype == np.float16:
        facts.append("float16 is too coarse here")
    return "; ".join(facts) + "."


def _zeros(array: Array) -> str:
    return "all entries are 0" if not array.any() else ""


def _sums(array: Array, expected: Array) -> str:
    """Each row of attention weights sums to 1; say so where only the answer breaks it."""
    if expected.ndim == 0 or not array.any():
        return ""
    if np.abs(expected.sum(axis=-1) - 1).max() > SUM_TOLERANCE:
        return ""
    return "the rows do not sum to 1" if np.abs(array.sum(axis=-1) - 1).max() > SUM_TOLERANCE else ""


def _ratio(array: Array, expected: Array) -> str:
    usable = np.abs(expected) > 1e-6 * max(1.0, float(np.abs(expected).max(initial=0.0)))
    if usable.sum() < 2 or not array.any():
        return ""
    ratios = array[usable] / expected[usable]
    middle = float(np.sort(ratios)[ratios.size // 2])  # np.median imports all of numpy.ma
    spread = float(np.abs(ratios - middle).max())
    rest = float(np.abs(array[~usable]).max(initial=0.0))
    if not spread <= RATIO_SPREAD * abs(middle) < np.inf or rest > RATIO_SPREAD:
        return ""
    return f"every entry is {middle:.4g} times what it should be"
