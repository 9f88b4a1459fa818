"""Read values as arrays of real numbers, and measure how far they are from the expected ones.

A value that a worker sends may be anything a student's function returns. Here is the one place in which it
becomes an array: only decoded arrays and plain lists are touched, never a method that a student could have
written.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any, TypeGuard

import numpy as np

from autograder.verdict.kinds import (
    is_alike,
    is_huge,
    is_structured,
    rows_of,
    structure_like,
    structure_of,
)
from autograder.worker.composites import NUMERIC, SEQUENCES, Composite
from autograder.worker.wire import Array, Masked, Tensor

FLOAT_LIKE_KINDS = "fiu"
REAL_KINDS = "fiub"
"""Kinds of dtypes, as in ``dtype.kind``: floats, integers, unsigned integers and booleans."""
ARRAY_OR_NUMBER = (np.ndarray, bool, int, float)
WITH_ARRAY = (Tensor, Masked)
# Values with a structure of their own, see ``kinds.py``. None and lists have one, too, but lists may be arrays.
STRUCTURED = (str, dict, Composite)
NUMBERS = (bool, int, float)
"""Types of plain numbers."""
# So many lists are kept with their arrays, and none that holds more numbers.
MOST_KEPT = 16
MOST_KEPT_NUMBERS = 50_000
MOST_BYTES_COMPARED = 1 << 16
"""Larger arrays are not copied to compare their bytes."""
MOST_PARTS = 10
"""The right array is looked for among this many parts of a returned tuple."""


def deviation(value: Any, expected: Any) -> float:
    """Return how far a value is from the expected one, in the measure of tolerances.

    Args:
        value: a decoded answer, whatever it is.
        expected: an array, a tuple or list of arrays, or a value with a structure, see ``kinds.py``.

    Returns:
        The largest absolute difference in one array, relative to the larger of 1 and its largest expected
        number. It is infinite where the kinds, types or shapes differ. Infinite numbers, and NaN in what a
        known mistake returns, must be the same in both.
    """
    if isinstance(expected, SEQUENCES):
        # Nothing walks through a list before its length is right: a submission's may have any length.
        if isinstance(value, Composite):
            return _deviation_by_kind(value, expected)
        parts = split(value, expected)
        if parts is None:
            return math.inf
        return max(map(deviation, parts, expected), default=0.0)
    if is_plain(value) and is_plain(expected):  # the usual case, without questions
        array = value
        right = expected
        if array.shape != right.shape:
            return math.inf
        if _has_same_bytes(array, right):
            return 0.0
    else:
        pair = of_one_shape(value, expected)
        if pair is None:
            if isinstance(expected, STRUCTURED) or is_huge(expected):
                return _deviation_by_kind(value, expected)
            return math.inf
        array, right = pair
    largest_number = largest_magnitude(right)
    if math.isfinite(largest_number):
        distance = _largest_difference(array, right)
        if math.isnan(distance):
            return math.inf
        return distance / unit_of_tolerance(largest_number)
    finite = np.isfinite(right)
    has_nan = right.dtype.kind == "f"
    infinite = ~finite
    if not np.array_equal(array[infinite], right[infinite], equal_nan=has_nan):
        return math.inf
    distances = differences(array, right)[finite]
    largest = float(distances.max(initial=0.0))
    if math.isnan(largest):
        return math.inf
    return largest / unit_of(right)


def _deviation_by_kind(value: Any, expected: Any) -> float:
    """Return the largest deviation in the arrays within a value of the expected kind and with its header."""
    right = structure_of(expected)
    if right is None:  # it could not be sent
        return math.inf
    answer = structure_like(value, right)
    if answer is None or not is_alike(answer, right):
        return math.inf
    distances = [0.0]
    for name, expected_child in right.children.items():
        child = answer.child(name, expected_child)
        if is_structured(expected_child):
            distances.append(_deviation_by_kind(child, expected_child))
        else:
            distances.append(deviation(child, expected_child))
    return max(distances)


def is_plain(value: Any) -> bool:
    """Return whether a value is an array of floating-point numbers and nothing else."""
    return type(value) is np.ndarray and value.dtype.kind == "f"


def is_plainly_right(value: Any, expected: Any, tolerance: float) -> bool:
    """Return whether an array of floats is right without a doubt, as nearly all are.

    False says nothing: it may be right in another form, and infinite numbers need a closer look.
    """
    if not is_plain(value) or not is_plain(expected):
        return False
    if value.shape != expected.shape:
        return False
    largest_number = largest_magnitude(expected)
    if not math.isfinite(largest_number):
        return False
    if _has_same_bytes(value, expected):
        return True
    # A difference of NaN is not at most the tolerance.
    distance = _largest_difference(value, expected)
    return distance / unit_of_tolerance(largest_number) <= tolerance


def _has_same_bytes(array: Array, right: Array) -> bool:
    """Return whether two small arrays of one shape are equal to the last bit, NaN included.

    Most right answers are, and their bytes are compared in a tenth of the time that their numbers take.
    """
    if array.dtype != right.dtype or array.nbytes > MOST_BYTES_COMPARED:
        return False
    return array.tobytes() == right.tobytes()


def unit_of_tolerance(largest_number: float) -> float:
    """Return the unit of tolerances: the largest expected number of an array, or 1 if that is larger."""
    return max(1.0, largest_number)


def largest_magnitude(array: Array) -> float:
    """Return the largest magnitude in an array, NaN where it holds one, and 0 where it is empty."""
    numbers = array.astype(np.float64, copy=False)
    return float(np.abs(numbers).max(initial=0.0))


_is_without_warnings: ContextVar[bool] = ContextVar("without_warnings", default=False)


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """Let NumPy compute without warnings: a student's numbers may be as large as they like.

    To set this up takes longer than to compare two small arrays, so it is done once around many comparisons.
    """
    token = _is_without_warnings.set(True)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        _is_without_warnings.reset(token)


def _largest_difference(array: Array, right: Array) -> float:
    """Return how far an array is from one of finite numbers; this is most of the time that judging takes."""
    if not _is_without_warnings.get():
        with without_warnings():
            return _largest_difference(array, right)
    numbers = array.astype(np.float64, copy=False)
    difference = numbers - right.astype(np.float64, copy=False)
    return float(np.abs(difference).max(initial=0.0))


def of_one_shape(value: Any, expected: Any) -> tuple[Array, Array] | None:
    """Return a value and the expected one as arrays, or None where they are not arrays of one shape."""
    right = as_entries(expected)
    if right is None:
        return None
    array = as_answer(value, right)
    if array is None or array.shape != right.shape:
        return None
    return array, right


def unit_of(expected: Array) -> float:
    """Return the unit of tolerances of an expected array, some of whose numbers may be infinite."""
    largest = largest_magnitude(expected)
    if not math.isfinite(largest):
        largest = largest_magnitude(expected[np.isfinite(expected)])
    return unit_of_tolerance(largest)


def wrong_entries(array: Array, expected: Array, tolerance: float) -> Array:
    """Mark the wrong entries of an array of the expected shape, NaN among them."""
    # Not `>`: a difference of NaN is neither larger nor smaller.
    is_right = differences(array, expected) / unit_of(expected) <= tolerance
    return ~np.asarray(is_right)


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def differences(array: Array, expected: Array) -> Array:
    """Return how far the entries of two arrays are apart; infinity equals itself, NaN equals nothing."""
    difference = array.astype(np.float64) - expected.astype(np.float64)
    return np.where(array == expected, 0.0, np.abs(difference))


def split(value: Any, expected: Sequence[Any]) -> list[Any] | None:
    """Return the parts of a returned tuple or list, or None where it has not as many as expected.

    An array that was stacked from such parts has them as well.
    """
    if has_items(value, len(expected)):
        return list(value)
    if isinstance(value, SEQUENCES):
        return None
    array = as_rectangle(value)
    if array is None or array.shape[:1] != (len(expected),):
        return None
    if isinstance(expected, tuple) and expected:
        first = as_entries(expected[0])
        if first is not None and array.ndim <= first.ndim:
            return None  # not stacked: this is the array of one part
    return rows_of(array)


def kinds_like(expected: Array) -> str:
    """Return the kinds of dtypes that may be right: numbers may stand for booleans, not the other way."""
    if expected.dtype.kind == "b":
        return REAL_KINDS
    return FLOAT_LIKE_KINDS


def as_answer(value: Any, expected: Array) -> Array | None:
    """Return a value as an array of a kind that may be right, or None."""
    return as_entries(value, room_for(expected), kinds_like(expected))


def as_array(value: Any, largest: int | None = None) -> Array | None:
    """Return the real numbers of a value as ``as_entries`` does, but no booleans."""
    return as_entries(value, largest, FLOAT_LIKE_KINDS)


def as_entries(
    value: Any, largest: int | None = None, kinds: str = REAL_KINDS
) -> Array | None:
    """Return the real numbers or booleans of a value, or None where it is no rectangular array of them.

    Complex numbers are not accepted, and neither are integers that fit no dtype, of which NumPy would make
    objects.

    Args:
        value: a decoded answer, whatever it is.
        largest: lists that hold more items than this are not converted; see ``room_for``.
        kinds: the kinds of dtypes that are accepted.
    """
    array = as_rectangle(value, largest)
    if array is None or array.dtype.kind not in kinds:
        return None
    return array


def as_mask(value: Any) -> Array | None:
    """Return an array of booleans, which a mask is; None where a value is something else, such as a single one."""
    mask = as_entries(value, kinds="b")
    if mask is None or mask.ndim == 0:
        return None
    return mask


def broadcasting_axes(mask: Array) -> tuple[bool, ...]:
    """Say of each axis of a mask whether it has length 1, so that it stands for any length."""
    return tuple(size == 1 for size in mask.shape)


def numbers_in(value: Any) -> int:
    """Count the numbers of a value, in all its parts."""
    array = as_entries(value)
    if array is not None:
        return int(array.size)
    part = structure_of(value)
    if part is not None:
        return sum(map(numbers_in, part.children.values()))
    return 0


def room_for(expected: Array) -> int:
    """Return how many numbers a list may hold to be converted; with more its shape is wrong in any case."""
    return 4 * expected.size + 1000


def as_rectangle(value: Any, largest: int | None = None) -> Array | None:
    """Return a value as an array of any numeric dtype, or None where its rows have different lengths."""
    if isinstance(value, ARRAY_OR_NUMBER):
        return as_numbers(value)
    if isinstance(value, WITH_ARRAY):
        return as_numbers(value.array)
    if not isinstance(value, SEQUENCES) or not value:
        return None
    key = (id(value), largest)
    kept = _kept.arrays.get(key)
    if kept is not None and kept[0] is value:
        return kept[1]
    if largest is not None and holds_more(value, largest):
        return None

    array = _stacked(value)
    numbers = largest if array is None else array.size
    if numbers is not None and numbers <= MOST_KEPT_NUMBERS:
        if len(_kept.arrays) >= MOST_KEPT:
            oldest = next(iter(_kept.arrays))
            del _kept.arrays[oldest]
        if array is not None:
            array.flags.writeable = False
        _kept.arrays[key] = (value, array)
    return array


class _KeptArrays(threading.local):
    """The lists that were converted last, and their arrays: diagnosis compares an answer with hundreds of others.

    No decoded answer is ever changed. A list is kept with its array, so that no other list has its id meanwhile.
    """

    def __init__(self) -> None:
        self.arrays: dict[tuple[int, int | None], tuple[Any, Array | None]] = {}


_kept = _KeptArrays()


def _stacked(value: Sequence[Any]) -> Array | None:
    """Return a list or tuple that is not empty as an array."""
    kinds = set(map(type, value))
    if all(issubclass(kind, NUMBERS) for kind in kinds):
        return as_numbers(value)
    rows: list[Array] = []
    for item in value:
        if isinstance(item, SEQUENCES):
            row = _stacked(item) if item else None
        else:
            row = as_rectangle(item)
        if row is None or (rows and row.shape != rows[0].shape):
            return None
        rows.append(row)
    return np.stack(rows)


def as_numbers(numbers: Any) -> Array | None:
    """Return a number, a list of numbers or an array as an array, unless its dtype is not numeric.

    That of integers which are too large for any dtype is ``object``.
    """
    array = np.asarray(numbers)
    if array.dtype.kind not in NUMERIC:
        return None
    return array


def has_items(value: Any, count: int) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a tuple or list of ``count`` items."""
    return isinstance(value, SEQUENCES) and len(value) == count


def holds_more(value: Any, largest: int) -> bool:
    """Return whether nested lists hold more than ``largest`` items; an empty list counts as an item."""
    count = 0
    level = [value]
    while level:
        lists = []
        for item in level:
            if isinstance(item, NUMBERS):
                continue
            if isinstance(item, Composite):
                item = list(item.parts.values())
            elif isinstance(item, dict):
                item = list(item.values())
            if isinstance(item, SEQUENCES) and item:
                lists.append(item)
        count += len(level) - len(lists)
        if count + sum(map(len, lists)) > largest:
            return True
        level = []
        for items in lists:
            level.extend(items)
    return False


def leaves(value: Any) -> Iterator[Any]:
    """Yield the items of nested lists that are no lists themselves; an empty list counts as an item."""
    if isinstance(value, SEQUENCES) and value:
        for item in value:
            yield from leaves(item)
    else:
        yield value
