"""Parts of a reply of the worker, each in the form that it should have: a submission may have forged them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_NUMBERS = 10_000_000
"""The size of the largest array that is looked at, and the largest count that is quoted."""
LONGEST_NAME = 60
"""How much of a name is quoted."""


def as_mapping(value: Any) -> Mapping[Any, Any]:
    """Return a dictionary as it is, and an empty one in place of anything else."""
    if isinstance(value, dict):
        return value
    return {}


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and an empty one in place of anything else."""
    if isinstance(value, list):
        return value
    return []


def texts_in(value: Any) -> list[str]:
    """Return the texts in a list; none where it is no list."""
    texts = []
    for text in as_list(value):
        if isinstance(text, str):
            texts.append(text)
    return texts
