"""What is asked of a worker: a submission's files or cells, and the calls to make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.worker.wire import pack


@dataclass(frozen=True)
class Limits:
    """What one run of a submission may use.

    ``seconds`` is wall-clock time of the whole run, ``call_seconds`` that of one call, ``cpu_seconds``
    processor time of the whole run; memory and answer are in MiB.
    """

    seconds: float = 12.0
    call_seconds: float = 3.0
    cpu_seconds: float = 10.0
    memory_mb: int = 1024
    answer_mb: int = 32

    def as_mapping(self) -> dict[str, float]:
        """Return the limits in the form that the worker reads."""
        return dict(vars(self))


@dataclass(frozen=True)
class Cell:
    """One code cell of a notebook: its position (from 1, as counted by the student) and its source."""

    number: int
    source: str


@dataclass(frozen=True)
class Code:
    """The student's code for one homework: an entry file among files, or a notebook's cells."""

    entry: str
    files: Mapping[str, str] = field(default_factory=dict)
    cells: Sequence[Cell] | None = None

    def mentions(self, word: str) -> bool:
        """Whether a word occurs anywhere in the code, a cheap look before anything is run."""
        texts = [*self.files.values(), *(cell.source for cell in self.cells or ())]
        return any(word in text for text in texts)


@dataclass(frozen=True)
class Request:
    """One run: the code, the calls in the worker's form, the library to have imported, the limits."""

    code: Code
    calls: Sequence[Mapping[str, object]]
    library: str = "numpy"
    limits: Limits = field(default_factory=Limits)

    def pack(self) -> bytes:
        """Return the bytes that the worker reads; expected values never enter them."""
        cells = self.code.cells
        return pack(
            {
                "entry": self.code.entry,
                "files": dict(self.code.files),
                "cells": None if cells is None else [dict(vars(cell)) for cell in cells],
                "calls": [dict(call) for call in self.calls],
                "call_seconds": self.limits.call_seconds,
                "load_seconds": self.limits.seconds / 2,
                "seed": 0,
            }
        )
