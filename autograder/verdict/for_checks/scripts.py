"""Checks that run the lines of a test as they were written elsewhere, on values that a submission returned."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograder.verdict.failure import CheckFailed, fail
from autograder.verdict.fixtures import Cases, Compare
from autograder.worker.composites import PLAIN, SEQUENCES, Composite, put_together
from autograder.worker.wire import Masked, Tensor

_NUMPY_TYPE = re.compile(r"np\.(?:\w+\(([^()]*)\)|(True|False)_)")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")

ANSWERS = frozenset({"set", "objects", "table", "series", "sparse", "nothing"})
"""Kinds of composites that an answer may hold."""
PLAIN_VALUES = (*PLAIN, np.ndarray, Tensor, Masked)

Show = Callable[..., None]


def returned(cases: Cases, compare: Compare, task: str, count: int) -> Any:
    """Return what a function without arguments returned, as the objects that a test expects.

    Arrays without axes become NumPy's numbers, and tables those of pandas.

    Args:
        cases: the homework's cases; the first published one of the task calls it.
        compare: reads the answer.
        task: the function's name.
        count: how many values it returns; they come in a tuple if there are several.

    Raises:
        CheckFailed: nothing was returned, or another number of values.
    """
    known, *_ = cases.published(task)
    value = as_objects(compare.answer_or_fail(known))
    if count == 1:
        return value
    has_items = isinstance(value, tuple | list | np.ndarray)
    if not has_items or len(value) != count:
        fail(f"`{task}` does not return {count} values, separated by commas.")
    return value


def as_objects(value: Any) -> Any:
    """Return an answer as the objects that it stands for.

    An answer was written by a student's process, which can also send what only arguments are made of: a function
    would be run here, where the expected values are.

    Raises:
        CheckFailed: the answer stands for no value.
    """
    if not _is_value(value):
        fail("What it returns is not a value.")
    try:
        return put_together(value, _plain)
    except (TypeError, ValueError, LookupError, ImportError):
        fail("What it returns is not a value.")


def _is_value(value: Any) -> bool:
    """Return whether nothing in an answer is a function, a generator, or something that could not be sent."""
    if isinstance(value, Composite):
        if value.kind not in ANSWERS:
            return False
        return all(map(_is_value, value.parts.values()))
    if isinstance(value, SEQUENCES):
        return all(map(_is_value, value))
    if isinstance(value, dict):
        keys = getattr(value, "sent", ())
        items = [*keys, *value.values()]
        return all(map(_is_value, items))
    return isinstance(value, PLAIN_VALUES)


def _plain(value: Any) -> Any:
    """Return an array without axes as NumPy's number, and a tensor as an array."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    if isinstance(value, Tensor | Masked):
        return value.array
    return value


@contextmanager
def scripted(shows: str, text: str) -> Iterator[tuple[Show, Show]]:
    """Fail a check unless the lines inside show what they have to, as a notebook's cell does.

    Args:
        shows: all that they print, and then the last value as Python writes it; blank where nothing is shown.
        text: what the student reads otherwise.

    Yields:
        ``show`` for the last value, and ``print``.

    Raises:
        CheckFailed: they show something else, or raise an exception.
    """
    output: list[str] = []

    def print_text(*values: object, sep: str = " ", end: str = "\n") -> None:
        line = sep.join(map(str, values))
        output.append(line + end)

    def show(value: object) -> None:
        if value is not None:
            output.append(repr(value))

    try:
        yield show, print_text
    except CheckFailed:
        raise
    except AssertionError:
        fail(text)
    except (
        Exception
    ) as error:  # the test's own code, on a value of another kind than it expects
        name = type(error).__name__
        fail(f"{text} It stops with {name}.")
    shown = "".join(output)
    if not _is_shown(shows, shown.strip()):
        fail(text)


def _is_shown(expected: str, output: str) -> bool:
    """Return whether an output is the expected one; only numbers may be written in another way."""
    if "'" in expected or '"' in expected:
        return expected == output
    return words_and_numbers(expected) == words_and_numbers(output)


def words_and_numbers(text: str) -> tuple[str, list[float]]:
    """Return a shown result without its numbers, and the numbers in their order."""
    text = _without_types(text)
    numbers = _NUMBER.findall(text)
    return _NUMBER.sub("", text), list(map(float, numbers))


def _without_types(text: str) -> str:
    """Return a shown result without the types that NumPy 2 writes, and with spaces only between its words.

    How many spaces there are depends on the longest number of an array. That there are some tells numbers apart.
    """
    text = _NUMPY_TYPE.sub(r"\1\2", text)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([\[\](){},:]) ?", r"\1", text).strip()
