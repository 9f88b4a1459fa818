"""What a worker process is asked to do: a submission's files or cells, and the calls to make."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.worker.wire import pack

NO_CACHE = "/"
"""Torch's optimizers make their cache folder on import: only the root exists in every namespace."""
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "TORCHINDUCTOR_CACHE_DIR": NO_CACHE,
    "PATH": "/usr/bin:/bin",
    "PWD": "/",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
}


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

    @property
    def loading(self) -> tuple[float, float]:
        """The seconds, and those of processor time, that loading may take of a run's: three quarters."""
        return 0.75 * self.seconds, 0.75 * self.cpu_seconds


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


Call = Mapping[str, object]
"""One call as the worker reads it."""


@dataclass(frozen=True, eq=False)
class SharedCalls:
    """Calls that many submissions are asked: packed once, and read once by each warm sandbox.

    A warm sandbox keeps them, and every later submission that is asked them could find all of them there, so
    nothing that was learnt from one submission may be in them. As the calls of a second stage they are packed
    once as well, but given to each run anew, and kept nowhere.
    """

    calls: Sequence[Call]

    def __len__(self) -> int:
        return len(self.calls)

    @cached_property
    def packed(self) -> bytes:
        """The bytes that the worker reads; expected values never enter them."""
        return pack([dict(call) for call in self.calls])

    @cached_property
    def digest(self) -> str:
        """The name under which a sandbox keeps them."""
        return hashlib.blake2b(self.packed, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Request:
    """One run: the code, the calls to make, the library to have imported, the limits.

    ``library`` is ``numpy``, ``torch``, or ``torch.optim`` for torch with what its optimizers import.
    ``later_calls`` are those of a second stage of the same process. They are given to it only when the
    answers to ``calls`` are in our hands, so that nothing in these can have come from them. ``before_later``
    is called in between, while the process is stopped: for the first stages of other code of the submission.
    """

    code: Code
    calls: Sequence[Call] | SharedCalls
    library: str = "numpy"
    limits: Limits = field(default_factory=Limits)
    later_calls: SharedCalls | None = None
    before_later: Callable[[], object] | None = None

    def pack(self) -> bytes:
        """Return the bytes that the worker reads, without shared and later calls.

        Expected values never enter them.
        """
        cells = self.code.cells
        return pack(
            {
                "entry": self.code.entry,
                "files": dict(self.code.files),
                "cells": None
                if cells is None
                else [dict(vars(cell)) for cell in cells],
                "calls": None
                if isinstance(self.calls, SharedCalls)
                else [dict(one) for one in self.calls],
                "call_seconds": self.limits.call_seconds,
                "loading": self.limits.loading,
            }
        )
