"""How often Python looks for circles among the objects of a command that grades thousands of texts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (50_000, 20, 20)
"""Nearly all objects go with the last reference to them; Python's own 700 looks for the others all the time."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for circles of objects rarely within the context: an audit spends a sixth of its time on it else."""
    before = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
