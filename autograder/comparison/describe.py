"""Facts about an array that differs: where, how much of it, and by which simple relation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograder.worker.wire import Array, Tensor, Unsendable

RATIO_SPREAD = 1e-4
SUM_TOLERANCE = 1e-3
LARGEST_RATIO = 1e9
MOST_AXES, MOST_ENTRIES, MOST_ITEMS = 5, 1 << 16, 100
"""Up to where shapes and counts are told: in larger ones a submission could carry its inputs out."""
UNSENDABLE_DTYPE = "an array of dtype "
UNSENDABLE_OBJECT = "an object of type "
TOLD_TYPES = frozenset(
    {"bytes", "complex", "filter", "function", "generator", "map", "method", "module", "object", "range"}
    | {"Parameter", "Linear", "Softmax", "dict_values", "reversed", "set", "frozenset", "type", "zip"}
)
TOLD_AS_IT_IS = ("a value nested too deeply", "an integer too large to send")
TOLD_DTYPES = {"<U": "str", "|S": "bytes", "<M": "datetime64", "<m": "timedelta64"}


def kind_of(value: Any) -> str:
    """Name the kind of a returned value: "a tuple of 2", "an array of shape (3, 4)", "nothing (None)"."""
    if value is None:
        return "nothing (None)"
    if isinstance(value, Unsendable):
        return _unsendable(value.description)
    if isinstance(value, np.ndarray | Tensor):
        array, word = (value.array, "a tensor") if isinstance(value, Tensor) else (value, "an array")
        dtype = "" if array.dtype.kind in "fiu" else f" and dtype {array.dtype}"
        return f"{word} of shape {shape_of(array)}{dtype}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value) if len(value) <= MOST_ITEMS else 'very many'}"
    return f"a value of type {type(value).__name__}"


def shape_of(array: Array) -> str:
    """Return a shape as it is told."""
    entries = math.prod(size for size in array.shape if size)
    return str(array.shape) if array.ndim <= MOST_AXES and entries <= MOST_ENTRIES else "far too large"


def _unsendable(description: str) -> str:
    """What a worker says of a value that it could not send, as far as these are words of ours."""
    if description.startswith(UNSENDABLE_DTYPE):
        dtype = description.removeprefix(UNSENDABLE_DTYPE)
        is_told = dtype in ("object", "complex64", "complex128")
        return f"{UNSENDABLE_DTYPE}{dtype if is_told else TOLD_DTYPES.get(dtype[:2], 'void')}"
    if description in TOLD_AS_IT_IS or description.removeprefix(UNSENDABLE_OBJECT) in TOLD_TYPES:
        return description
    return "a value that is not plain data"


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
    is_told = 1 / LARGEST_RATIO <= abs(middle) <= LARGEST_RATIO
    if not (is_told and spread <= RATIO_SPREAD * abs(middle) and rest <= RATIO_SPREAD):
        return ""
    return f"every entry is {middle:.4g} times what it should be"
