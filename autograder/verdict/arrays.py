"""Read values as arrays of real numbers, and measure how far they are from the expected ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.worker.wire import NUMERIC_KINDS, Array, Masked, Tensor, Unsendable

FLOAT_LIKE_KINDS, REAL_KINDS = "fiu", "fiub"


KINDS = {"b": "booleans"}


MOST_PARTS = 10
"""The right array is looked for among this many parts of a returned tuple."""


MOST_ORDERED = 3
"""Of at most so many returned values every order is tried."""


MOST_AXES, MOST_ENTRIES, MOST_ITEMS = 5, 1 << 16, 100
"""Larger shapes and counts are not shown: a submission could smuggle its inputs out in them."""


UNSENDABLE_DTYPE = "an array of dtype "


UNSENDABLE_OBJECT = "an object of type "


SHOWN_TYPES = frozenset(
    {
        "bytes",
        "complex",
        "filter",
        "function",
        "generator",
        "map",
        "method",
        "module",
        "object",
        "range",
    }
    | {
        "Parameter",
        "Linear",
        "Softmax",
        "dict_values",
        "reversed",
        "set",
        "frozenset",
        "type",
        "zip",
    }
)


SHOWN_AS_IT_IS = ("a value nested too deeply", "an integer too large to send")


SHOWN_DTYPES = {"<U": "str", "|S": "bytes", "<M": "datetime64", "<m": "timedelta64"}


def deviation(value: Any, expected: Any) -> float:
    """Return how far a value is from the expected one, in the same measure as tolerances.

    It is infinite where the comparison stops before it looks at values. Entries that are infinite, and NaN
    in what a known mistake returns, must be the same in the value.
    """
    if isinstance(expected, tuple | list):
        parts = split(value, expected)
        return (
            math.inf
            if parts is None
            else max(map(deviation, parts, expected), default=0.0)
        )
    pair = of_one_shape(value, expected)
    if pair is None:
        return math.inf
    array, wanted = pair
    finite = np.isfinite(wanted)
    if not np.array_equal(
        array[~finite], wanted[~finite], equal_nan=wanted.dtype.kind == "f"
    ):
        return math.inf
    off = float(differences(array, wanted)[finite].max(initial=0.0))
    return math.inf if math.isnan(off) else off / allowed_difference(wanted, 1.0)


def of_one_shape(value: Any, expected: Any) -> tuple[Array, Array] | None:
    """Return both as arrays of what is expected; None where they are not such arrays of one shape."""
    wanted = as_entries(expected)
    array = None if wanted is None else as_answer(value, wanted)
    return (
        None
        if array is None or wanted is None or array.shape != wanted.shape
        else (array, wanted)
    )


def allowed_difference(expected: Array, tolerance: float) -> float:
    """The largest allowed absolute difference for one expected array."""
    finite = (
        expected[np.isfinite(expected)]
        if expected.dtype.kind == "f"
        else expected.astype(np.float64)
    )
    return tolerance * max(1.0, float(np.abs(finite).max(initial=0.0)))


def wrong_entries(array: Array, expected: Array, tolerance: float) -> Array:
    """Mark the entries of an array of the expected shape that are not right, NaN among them."""
    return ~np.asarray(
        differences(array, expected) <= allowed_difference(expected, tolerance)
    )


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def differences(array: Array, expected: Array) -> Array:
    """How far entries of arrays of one shape are apart; infinity is equal to itself, and NaN to nothing."""
    far = np.abs(array.astype(np.float64) - expected.astype(np.float64))
    return np.where(array == expected, 0.0, far)


def split(value: Any, expected: Sequence[Any]) -> list[Any] | None:
    """Return the parts of a returned tuple or list; an array stacked from such parts has them as well."""
    if isinstance(value, tuple | list):
        return list(value) if len(value) == len(expected) else None
    array = as_rectangle(value)
    if array is None or array.ndim == 0 or len(array) != len(expected):
        return None
    first = (
        as_entries(expected[0]) if isinstance(expected, tuple) and expected else None
    )
    is_output_alone = first is not None and array.ndim <= first.ndim
    return None if is_output_alone else list(array)


def kinds_like(expected: Array) -> str:
    """The kinds of dtypes that may be right: numbers may stand for booleans, and never the other way."""
    return FLOAT_LIKE_KINDS + "b" * (expected.dtype.kind == "b")


def as_answer(value: Any, expected: Array) -> Array | None:
    """Return the entries of an answer that may be right, or None where it is not an array of such ones."""
    array = as_entries(value, room_for(expected))
    return (
        array
        if array is not None and array.dtype.kind in kinds_like(expected)
        else None
    )


def as_array(value: Any, largest: int | None = None) -> Array | None:
    """Return the real numbers of a value as ``as_entries`` does; booleans are none of these."""
    array = as_entries(value, largest)
    return array if array is not None and array.dtype.kind in FLOAT_LIKE_KINDS else None


def as_entries(value: Any, largest: int | None = None) -> Array | None:
    """Return the real numbers or booleans of a value, or None where it is not a rectangular array of them.

    This is the one place where an answer becomes an array. Complex numbers are none of these,
    and neither are integers that fit no dtype, of which NumPy would make objects.

    Args:
        value: a decoded answer, whatever it is.
        largest: lists that hold more than this are not converted; see ``room_for``.
    """
    array = as_rectangle(value, largest)
    return array if array is not None and array.dtype.kind in REAL_KINDS else None


def room_for(expected: Array) -> int:
    """How many numbers a list may hold to be converted: with more its shape is wrong, whatever they are."""
    return 4 * expected.size + 1000


def as_rectangle(value: Any, largest: int | None = None) -> Array | None:
    """The value as an array of any dtype of fixed width."""
    if isinstance(value, np.ndarray | Tensor | Masked):
        array = value if isinstance(value, np.ndarray) else value.array
        return array if array.dtype.kind in NUMERIC_KINDS else None
    if isinstance(value, bool | int | float):
        return as_numbers(value)
    if not isinstance(value, list | tuple) or not value:
        return None
    if largest is not None and holds_more(value, largest):
        return None
    if all(isinstance(item, bool | int | float) for item in value):
        return as_numbers(value)
    rows = [as_rectangle(item) for item in value]
    if all(row is not None and row.shape == rows[0].shape for row in rows):  # type: ignore[union-attr]
        return np.stack(rows)  # type: ignore[arg-type]
    return None


def as_numbers(numbers: Any) -> Array | None:
    """A number or a list of them, unless an integer is so large that NumPy makes objects of them."""
    array = np.asarray(numbers)
    return array if array.dtype.kind in NUMERIC_KINDS else None


def holds_more(value: Any, largest: int) -> bool:
    """Whether nested lists hold more items than that, of which an empty list is one."""
    count, level = 0, [value]
    while level:
        lists = [one for one in level if isinstance(one, list | tuple) and one]
        count += len(level) - len(lists)
        if count + sum(map(len, lists)) > largest:
            return True
        level = [item for one in lists for item in one]
    return False


def leaves(value: Any) -> Iterator[Any]:
    """Yield what nested lists hold in the end; an empty list counts as an item."""
    if isinstance(value, list | tuple) and value:
        for item in value:
            yield from leaves(item)
    else:
        yield value


def kind_of(value: Any) -> str:
    """Name the kind of a returned value: "a tuple of 2", "an array of shape (3, 4)", "nothing (None)"."""
    if value is None:
        return "nothing (None)"
    if isinstance(
        value, Unsendable
    ):  # the worker's words, as far as they are on our lists
        said = value.description
        if said.startswith(UNSENDABLE_DTYPE):
            dtype = said.removeprefix(UNSENDABLE_DTYPE)
            is_shown = dtype in ("object", "complex64", "complex128")
            return f"{UNSENDABLE_DTYPE}{dtype if is_shown else SHOWN_DTYPES.get(dtype[:2], 'void')}"
        is_shown = (
            said in SHOWN_AS_IT_IS
            or said.removeprefix(UNSENDABLE_OBJECT) in SHOWN_TYPES
        )
        return said if is_shown else "a value that is not plain data"
    if isinstance(value, np.ndarray | Tensor | Masked):
        array = value if isinstance(value, np.ndarray) else value.array
        word = {Tensor: "a tensor", Masked: "a masked array"}.get(
            type(value), "an array"
        )
        dtype = (
            "" if array.dtype.kind in FLOAT_LIKE_KINDS else f" and dtype {array.dtype}"
        )
        return f"{word} of shape {shape_of(array)}{dtype}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value) if len(value) <= MOST_ITEMS else 'very many'}"
    return f"a value of type {type(value).__name__}"


def shape_of(array: Array) -> str:
    """Return a shape as text, unless it is too large to be shown."""
    entries = math.prod(size for size in array.shape if size)
    return (
        str(array.shape)
        if array.ndim <= MOST_AXES and entries <= MOST_ENTRIES
        else "far too large"
    )
