"""Timers inside the student's process; the outer limits stop what ignores or clears them."""

from __future__ import annotations

import signal
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from autograder.worker.errors import CallTimeLimit


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
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, _interrupt)
    signal.signal(signal.SIGPROF, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, wall)
    signal.setitimer(signal.ITIMER_PROF, processor)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _interrupt(signum: int, frame: types.FrameType | None) -> None:
    raise CallTimeLimit
