"""Timers inside the student's process; the outer limits stop what ignores or clears them."""

from __future__ import annotations

import signal
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from autograder.worker.errors import CallTimeLimit

_set_handler, _set_timer = signal.signal, getattr(signal, "setitimer", None)
"""Taken before a submission is loaded, which may bind something else to these names."""


@dataclass
class Allowance:
    """What loading may take: ``processor`` seconds of one cell, ``wall`` seconds of one cell or file.

    Processor time, because a busy machine must not cut a right answer; wall time, for what only sleeps.
    Each cell that is cut leaves half of it to the next, so that a notebook full of them comes to its calls.
    """

    wall: float
    processor: float

    def halve(self) -> None:
        """Leave less to the next cell."""
        self.wall /= 2
        self.processor /= 2


@contextmanager
def time_limit(wall: float, processor: float = 0.0) -> Iterator[None]:
    """Interrupt Python code that takes longer; no limit of processor time where it is 0.

    Raises:
        CallTimeLimit: in the code within.
    """
    if _set_timer is None:
        yield
        return
    _set_handler(signal.SIGALRM, _interrupt)
    _set_handler(signal.SIGPROF, _interrupt)
    _set_timer(signal.ITIMER_REAL, wall)
    _set_timer(signal.ITIMER_PROF, processor)
    try:
        yield
    finally:
        _set_timer(signal.ITIMER_REAL, 0)
        _set_timer(signal.ITIMER_PROF, 0)


def _interrupt(signum: int, frame: types.FrameType | None) -> None:
    raise CallTimeLimit
