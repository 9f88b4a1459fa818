"""Values in words: what came back, and which entries of an array are wrong, without showing an expected number."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.language import say
from autograder.verdict.arrays import FLOAT_LIKE_KINDS, WITH_ARRAY
from autograder.verdict.kinds import structure_of
from autograder.worker.composites import SEQUENCES, Composite
from autograder.worker.wire import Array, Masked, Tensor, Unsendable, extent_of

SUM_TOLERANCE = 1e-3
HALF_PRECISION = 0.01
"""How far float16 takes a right result by rounding, relative to the largest number."""

# Larger shapes and counts are not shown: a submission could smuggle its inputs out in them.
MOST_AXES = 5
MOST_ENTRIES = 1 << 16
MOST_ITEMS = 100

# The worker describes a value that it cannot send in words. A submission may have chosen them, so only words on
# these lists are shown.
UNSENDABLE_DTYPE = "an array of dtype "
UNSENDABLE_OBJECT = "an object of type "
SHOWN_DTYPES = frozenset({"object", "complex64", "complex128"})
DTYPES_BY_PREFIX = {
    "<U": "str",
    "|S": "bytes",
    "<M": "datetime64",
    "<m": "timedelta64",
}
SHOWN_DESCRIPTIONS = ("a value nested too deeply", "an integer too large to send")
SHOWN_TYPES = frozenset(
    {
        "Linear",
        "Parameter",
        "Softmax",
        "bytes",
        "complex",
        "dict_values",
        "filter",
        "frozenset",
        "function",
        "generator",
        "map",
        "method",
        "module",
        "object",
        "range",
        "reversed",
        "set",
        "type",
        "zip",
    }
)


def describe(value: Any) -> str:
    """Name the kind of a returned value: "a tuple of 2", "an array of shape (3, 4)", "nothing (None)"."""
    if value is None:
        return say("nothing (None)")
    dtype = dtype_not_sent(value)
    if dtype:
        return say("an array of dtype {dtype}", dtype=dtype)
    if isinstance(value, Unsendable):
        return _described_by_worker(value.description)
    if isinstance(value, Tensor):
        return say("a tensor of {shape}", shape=_shape_and_dtype(value.array))
    if isinstance(value, Masked):
        return say("a masked array of {shape}", shape=_shape_and_dtype(value.array))
    if isinstance(value, Composite):
        part = structure_of(value)
        if part is None:  # an argument, such as a function
            return say("a value that is not plain data")
        return part.name
    if isinstance(value, np.ndarray):
        return say("an array of {shape}", shape=_shape_and_dtype(value))
    if isinstance(value, SEQUENCES):
        count = say("very many")
        if len(value) <= MOST_ITEMS:
            count = str(len(value))
        return say("a {type} of {count}", type=type(value).__name__, count=count)
    return say("a value of type {type}", type=type(value).__name__)


def dtype_not_sent(value: Any) -> str:
    """Return the dtype of an array that is not sent as one, if it is on our lists; blank for other values."""
    if isinstance(value, Composite) and value.kind == "objects":
        dtype: str = value.parts["dtype"]
    elif isinstance(value, Unsendable) and value.description.startswith(
        UNSENDABLE_DTYPE
    ):
        dtype = value.description.removeprefix(UNSENDABLE_DTYPE)
    else:
        return ""
    if dtype in SHOWN_DTYPES:
        return dtype
    return DTYPES_BY_PREFIX.get(dtype[:2], "void")


def _described_by_worker(description: str) -> str:
    """Return the worker's words about a value that it could not send, as far as they are on our lists."""
    if description in SHOWN_DESCRIPTIONS:
        return say(description)
    object_type = description.removeprefix(UNSENDABLE_OBJECT)
    if object_type in SHOWN_TYPES:
        return say("an object of type {type}", type=object_type)
    return say("a value that is not plain data")


def _shape_and_dtype(array: Array) -> str:
    return say("shape {shape}", shape=shown_shape(array))


def shown_shape(value: Any) -> str:
    """Return the shape of an array, and its dtype if that is not of numbers; blank for other values."""
    array = value.array if isinstance(value, WITH_ARRAY) else value
    if not isinstance(array, np.ndarray):
        return ""
    if array.dtype.kind in FLOAT_LIKE_KINDS:
        return shape_of(array)
    return say("{shape} and dtype {dtype}", shape=shape_of(array), dtype=array.dtype)


def shape_of(array: Array) -> str:
    """Return a shape as text, unless it is too large to be shown."""
    if array.ndim <= MOST_AXES and extent_of(array) <= MOST_ENTRIES:
        return str(array.shape)
    return say("far too large")


def count_of(entries: Array, noun: str, title: str) -> str:
    """Return the beginning of a sentence on the marked entries of an array, with the verb that fits."""
    count = int(entries.sum())
    verb = "is" if count == 1 else "are"
    return say(
        "{count} of {total} {noun} of {title} {verb}",
        count=count,
        total=entries.size,
        noun=say(noun),
        title=title,
        verb=say(verb),
    )


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
