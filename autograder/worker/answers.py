"""Read the answers to theory questions: a plain dictionary of short texts and numbers, and nothing else.

The caps keep a careless answer from bringing the whole run down; the trusted side checks all of it again.
"""

from __future__ import annotations

from typing import Any

from autograder.worker.wire import Unsendable

MAX_ENTRIES = 50
MAX_KEY = 100
MAX_TEXT = 4000


def plain_answers(found: object) -> object:
    """Return the dictionary with what cannot be read replaced, or what was found in its place."""
    if type(found) is not dict:
        return Unsendable(f"a value of type {type(found).__name__}")
    if len(found) > MAX_ENTRIES:
        return Unsendable(f"a dictionary of {len(found)} entries")
    return {_plain_key(key): _plain_value(value) for key, value in found.items()}


def _plain_key(key: object) -> str:
    if type(key) is str and len(key) <= MAX_KEY:
        return key
    return f"a key of type {type(key).__name__}"[:MAX_KEY]


def _plain_value(value: Any) -> object:
    value = _single_number(value)
    if type(value) is str:
        return value if len(value) <= MAX_TEXT else Unsendable(f"a text of {len(value)} characters")
    if value is None or type(value) in (bool, int, float):
        return value
    return Unsendable(f"a value of type {type(value).__name__}")


def _single_number(value: Any) -> Any:
    """The number in a NumPy scalar, or in an array or tensor of one entry, for answers may be computed."""
    if type(value).__module__ not in ("numpy", "torch"):
        return value
    try:
        return value.item()
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return value
