"""Kinds of values that a check of its own may ask for, whatever way a student wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.verdict.arrays import as_entries
from autograder.worker.wire import Tensor

KINDS: Mapping[type, str] = {
    bool: "a boolean",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    tuple: "a tuple",
    dict: "a dictionary",
    np.ndarray: "an array of numbers",
}
"""What each kind is called in messages."""
NUMBERS: Mapping[type, str] = {bool: "b", int: "iu", float: "iuf"}
"""The kinds of a dtype that count as a number of each kind."""


def as_kind(value: Any, kind: type) -> Any:
    """Return a decoded value as a kind, or None if it is not of that kind.

    Args:
        value: the decoded answer, whatever it is.
        kind: one of ``KINDS``.

    Raises:
        LookupError: there is no such kind.
    """
    if kind not in KINDS:
        names = ", ".join(known.__name__ for known in KINDS)
        raise LookupError(f"there is no kind {kind!r}; kinds are {names}")
    if kind in NUMBERS:
        number = value.array if isinstance(value, Tensor) else value
        if not isinstance(number, bool | int | float | np.ndarray):
            return None
        array = np.asarray(number)
        if array.shape != () or array.dtype.kind not in NUMBERS[kind]:
            return None
        return kind(array.item())
    if kind is np.ndarray:
        return as_entries(value)
    if kind is list and isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, kind) else None
