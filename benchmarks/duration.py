"""How long a benchmark will take: an estimate before its first step, corrected by the steps that are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

PREPARING = 10.0
"""Seconds until a contestant is ready, once its virtual environment exists."""
STARTING = 3.0
"""Seconds that each command of ours takes beyond its submissions."""
SECONDS_PER_SUBMISSION = {
    "ours": {"numpy": 0.03, "torch": 0.1},
    "pytest": {"numpy": 1.0, "torch": 3.0},
    "otter": {"numpy": 6.0, "torch": 9.0},
    "nbgrader": {"numpy": 4.0, "torch": 7.0},
    "kit-in-otter": {"numpy": 7.0, "torch": 10.0},
}
"""By contestant and library, as seen on two quiet cores. They need not be exact: what is done corrects them."""


@dataclass(frozen=True)
class Step:
    """Something that is measured, and the seconds it is expected to take."""

    text: str
    seconds: float


def duration_of(contestant: str, library: str, submissions: int) -> float:
    """Return the seconds that grading is expected to take; a contestant is a key of ``PEERS``, or ``ours``."""
    each = SECONDS_PER_SUBMISSION.get(contestant, {}).get(library, 0.0)
    seconds = each * submissions
    if contestant == "ours":
        seconds += STARTING
    return seconds


@dataclass
class Progress:
    """Tells each step when it begins, with the time that the rest is expected to take.

    Args:
        tell: called with each line.
        steps: all steps, in the order in which they will begin.
    """

    tell: Callable[[str], None]
    steps: Iterable[Step]
    clock: Callable[[], float] = time.monotonic
    _begun: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._coming = list(self.steps)
        self._number = len(self._coming)
        self._started = self.clock()
        self.tell(
            f"{self._number} steps, {_minutes(self._expected(self._coming))} on a quiet machine"
        )

    def begin(self, text: str) -> None:
        """Tell the next step; its text must be the next one's."""
        expected_done = self._expected(self._begun)
        expected = self._expected(self._coming)
        if expected_done:
            expected *= (self.clock() - self._started) / expected_done
        step = self._coming.pop(0)
        if step.text != text:
            raise ValueError(f"{text!r} begins, but {step.text!r} was announced")
        self._begun.append(step)
        self.tell(
            f"[{len(self._begun)}/{self._number}] {text} ({_minutes(expected)} to go)"
        )

    def leave_out(self, texts: Iterable[str]) -> None:
        """Take steps that cannot be done off the list."""
        missing = set(texts)
        self._coming = [step for step in self._coming if step.text not in missing]
        self._number = len(self._begun) + len(self._coming)

    @staticmethod
    def _expected(steps: Iterable[Step]) -> float:
        return sum(step.seconds for step in steps)


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
