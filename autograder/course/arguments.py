"""The arguments of calls: those that need a word of their own in ``cases.py``, and which ones can be sent."""

from __future__ import annotations

import inspect
import math
import operator
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autograder.course.course_files import CASES
from autograder.course.homework import CourseError
from autograder.worker.composites import SEQUENCES, Composite, take_apart
from autograder.worker.steps import as_plain_data
from autograder.worker.wire import Array, Tensor, Unsendable

OFFERED_TO_FUNCTIONS = {"np": np, "math": math}
"""Names of modules that a function of ``cases.py`` may use, as it is given to submissions."""
SENT_AS_THEY_ARE = frozenset({bool, int, float, str, type(None), Tensor})
SENDABLE = (
    "arguments are numbers, arrays, texts, None, lists, tuples, dictionaries, sets, tables "
    "of pandas, sparse arrays, `tensor(array)`, `generator(seed)` and `function(name)`"
)


def tensor(
    array: Array, *, requires_grad: bool = False, double: bool = False
) -> Tensor:
    """Return an argument that reaches the submission as a torch tensor: float32, or float64 if it is double."""
    dtype = np.float64 if double else np.float32
    return Tensor(np.asarray(array, dtype=dtype), requires_grad)


def generator(seed: int) -> Composite:
    """Return an argument that reaches the submission as ``np.random.default_rng(seed)``, new in each call."""
    return Composite("generator", {"seed": seed})


def function(definition: Callable[..., Any], *first: Any) -> Composite:
    """Return an argument that reaches the submission as a function of ``cases.py``.

    Its source is sent to the worker, and to students in public cases. It may use ``np``, ``math`` and what it
    imports itself.

    Args:
        definition: a function that is defined at the top level of ``cases.py``.
        first: its first arguments, which the submission does not give.

    Raises:
        CourseError: it has no source that runs by itself.
    """
    name = getattr(definition, "__name__", "?")
    is_plain = isinstance(definition, FunctionType) and definition.__qualname__ == name
    if not is_plain or not name.isidentifier():
        raise CourseError(
            f"function({name}): give a function that is defined with `def` at the top level of {CASES}"
        )
    used = inspect.getclosurevars(definition).globals
    for other, value in used.items():
        if OFFERED_TO_FUNCTIONS.get(other) is not value:
            raise CourseError(
                f"function({name}): it uses `{other}` of {CASES}, which is not sent with it; "
                "use only its arguments, `np`, `math` and what it imports itself"
            )
    source = textwrap.dedent(inspect.getsource(definition))
    parts = {"name": name, "source": source, "first": list(first)}
    return Composite("function", parts)


def sendable(value: Any) -> Any:
    """Return an argument as it is sent: itself, unless something in it must be taken apart.

    Raises:
        TypeError: something in it cannot be sent; the message says what it is.
    """
    is_array = type(value) is np.ndarray and value.dtype.kind in "biuf"
    if is_array or type(value) in SENT_AS_THEY_ARE:
        return value
    if isinstance(value, np.random.Generator | np.random.RandomState):
        raise TypeError("a random generator: write `generator(seed)`")
    if isinstance(value, FunctionType):
        raise TypeError(f"a function: write `function({value.__name__})`")
    if isinstance(value, SEQUENCES):
        items = list(map(sendable, value))
        if all(map(operator.is_, items, value)):
            return value
        if isinstance(value, list):
            return items
        return tuple(items)
    if isinstance(value, dict):
        values = list(map(sendable, value.values()))
        if all(map(operator.is_, values, value.values())):
            return value
        return dict(zip(value, values, strict=True))
    composite = value if isinstance(value, Composite) else take_apart(value)
    if composite is not None:
        parts = {name: sendable(part) for name, part in composite.parts.items()}
        return Composite(composite.kind, parts)
    sent = as_plain_data(value)
    if isinstance(sent, Unsendable):
        raise TypeError(sent.description)
    return value
