"""Values in words: what came back, its shape, and how many of its entries are meant."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.language import say
from autograder.verdict.arrays import FLOAT_LIKE_KINDS, WITH_ARRAY
from autograder.verdict.kinds import structure_of
from autograder.worker.composites import SEQUENCES, Composite
from autograder.worker.wire import Array, Masked, Tensor, Unsendable, extent_of

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
