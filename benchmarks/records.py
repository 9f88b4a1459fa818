"""What a benchmark records."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from autograder.errors import KitError


class BenchError(KitError):
    """A benchmark cannot be run; the message says why and what to do."""


class ContestantUnavailable(BenchError):
    """One way of grading cannot take part on this machine; the others can."""


@dataclass(frozen=True)
class Measured:
    """One command: what it graded and what it used.

    ``cpu_seconds`` are those of the command and of all processes it waited for. ``peak_mb`` is the largest
    memory that any single one of these processes held, in MiB.
    """

    submissions: int
    seconds: float
    cpu_seconds: float
    peak_mb: float

    def __add__(self, other: Measured) -> Measured:
        return Measured(
            self.submissions + other.submissions,
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            max(self.peak_mb, other.peak_mb),
        )


@dataclass(frozen=True)
class Row:
    """One way of grading one homework, measured once per round."""

    homework: str
    contestant: str
    rounds: tuple[Measured, ...] = ()
    unavailable: str = ""

    @property
    def per_second(self) -> float:
        """Submissions per second of the clock, the median of the rounds."""
        return self._median(lambda row: row.submissions / row.seconds)

    @property
    def per_cpu_second(self) -> float:
        """Submissions per second of processor time, the median of the rounds."""
        return self._median(lambda row: row.submissions / row.cpu_seconds)

    @property
    def peak_mb(self) -> float:
        """The largest process of all rounds, in MiB."""
        return max(turn.peak_mb for turn in self.rounds)

    def _median(self, figure: Callable[[Measured], float]) -> float:
        return statistics.median(figure(turn) for turn in self.rounds)


@dataclass(frozen=True)
class Scale:
    """Classes of one size, graded in turn, beside classes of one, which show what starting costs."""

    homework: str
    classes: tuple[Measured, ...]
    alone: tuple[Measured, ...]

    @property
    def size(self) -> int:
        """Submissions in each class."""
        return self.classes[0].submissions

    @property
    def cpu_per_submission(self) -> float:
        """Processor seconds per further submission."""
        return self._per_further_one(lambda row: row.cpu_seconds)

    @property
    def seconds_per_submission(self) -> float:
        """Seconds of the clock per further submission."""
        return self._per_further_one(lambda row: row.seconds)

    @property
    def peak_mb(self) -> float:
        """The largest process of all classes, in MiB."""
        return max(row.peak_mb for row in self.classes)

    def _per_further_one(self, figure: Callable[[Measured], float]) -> float:
        start = statistics.median(map(figure, self.alone))
        return (statistics.mean(map(figure, self.classes)) - start) / (self.size - 1)


@dataclass(frozen=True)
class Report:
    """Everything that one run measured."""

    rows: tuple[Row, ...]
    scales: tuple[Scale, ...]
    cores: int
    protection: str

    def ratio(self, row: Row, to: str = "ours, 1 job") -> float:
        """How many times as many submissions per processor second ``to`` grades as this row."""
        ours = next(
            measured
            for measured in self.rows
            if (measured.homework, measured.contestant) == (row.homework, to)
        )
        return ours.per_cpu_second / row.per_cpu_second
