"""Change whole numbers of a submission for one call, to see what depends on them.

Which names and numbers is said by the request, which the trusted side wrote. Only a name whose value is a
plain whole number now is bound: anything else could run code when it is replaced, or is not a size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

LARGEST_SIZE = 10**6
WHOLE_TYPES = (int, *(np.dtype(code).type for code in "bhilqBHILQ"))


class NotRebindable(Exception):
    """The submission has no whole number of that name."""


def sizes_among(namespace: Mapping[str, Any], names: Iterable[str]) -> dict[str, int]:
    """Return those of the names whose values may be sizes, with these values."""
    return {name: int(namespace[name]) for name in names if is_size(namespace.get(name))}


def is_size(value: object) -> bool:
    """Whether a value is a plain whole number that can be a size; the exact type is asked, never the value.

    A subclass of ``int`` does not count: its comparison would be the student's code.
    """
    is_whole = any(type(value) is one for one in WHOLE_TYPES)
    return is_whole and 0 <= value <= LARGEST_SIZE  # type: ignore[operator]


@contextmanager
def rebound(namespace: dict[str, Any], sizes: Mapping[str, int]) -> Iterator[None]:
    """Bind names to sizes within the context, and bring the old values back after it.

    Raises:
        NotRebindable: a name is not bound to a plain whole number.
    """
    before = {name: namespace.get(name) for name in sizes}
    for name, value in before.items():
        if not is_size(value):
            raise NotRebindable(name)
    namespace.update(sizes)
    try:
        yield
    finally:
        namespace.update(before)
