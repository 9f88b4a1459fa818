"""Requests to a worker process: a submission's files or cells, the calls to make, and the limits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np

from autograder.worker.wire import WireCall, pack

NO_CACHE = "/"
"""Torch's optimizers make their cache folder on import; only the root exists in every namespace."""
WORKER_ENVIRONMENT = {
    # One thread needs all three: each library reads its own.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # halves the time to fork and end with torch
    "TORCHINDUCTOR_CACHE_DIR": NO_CACHE,
    "PATH": "/usr/bin:/bin",
    "PWD": "/",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True)
class Limits:
    """The limits of one run of a submission.

    Attributes:
        seconds: wall-clock time of the whole run.
        call_seconds: wall-clock time of one call.
        cpu_seconds: processor time of the whole run.
        memory_mb: memory on top of the libraries', in MiB.
        answer_mb: size of the answer, in MiB.
        of_functions: wall-clock time of one call of a function that has a limit of its own, by its name. Such a
            call gets its time on top of ``seconds`` and ``cpu_seconds``, which remain for all else.
    """

    seconds: float = 12.0
    call_seconds: float = 3.0
    cpu_seconds: float = 10.0
    memory_mb: int = 1024
    answer_mb: int = 32
    of_functions: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def loading(self) -> tuple[float, float]:
        """Seconds, and seconds of processor time, that loading may take: three quarters of a run's."""
        return 0.75 * self.seconds, 0.75 * self.cpu_seconds

    def of_call(self, function: str) -> float:
        """Return the seconds that one call of a function may take."""
        return self.of_functions.get(function, self.call_seconds)

    def more_seconds(self, functions: Iterable[str]) -> float:
        """Return the seconds to add to the limit of a run for calls that have limits of their own.

        Args:
            functions: the names of the functions that are called, one for each call.
        """
        return sum(self.of_functions.get(function, 0.0) for function in functions)

    def longer(self, times: float) -> Limits:
        """Return the limits with a multiple of the wall-clock time; the limit of processor time stays."""
        of_functions = {
            function: times * seconds for function, seconds in self.of_functions.items()
        }
        return replace(
            self,
            seconds=times * self.seconds,
            call_seconds=times * self.call_seconds,
            of_functions=of_functions,
        )


@dataclass(frozen=True)
class Cell:
    """One code cell of a notebook: its position (from 1, as the student counts) and its source."""

    number: int
    source: str


@dataclass(frozen=True)
class Code:
    """The student's code for one homework: an entry file among files, or a notebook's cells."""

    entry: str
    files: Mapping[str, str] = field(default_factory=dict)
    cells: Sequence[Cell] | None = None

    def mentions(self, word: str) -> bool:
        """Return whether a word occurs anywhere in the code: a cheap look before anything runs."""
        texts = list(self.files.values())
        for cell in self.cells or ():
            texts.append(cell.source)
        return any(word in text for text in texts)


CODE_OF_CALL = ("edited", "switch")
"""The fields of a call that change the code and not the inputs: each of many calls has its own."""


def number_of_inputs(call: WireCall) -> int:
    """Count the inputs of a call: the worker reports by their positions which of them the code has changed."""
    if call["op"] == "module":
        return 1
    count = len(cast(Sequence[object], call.get("args", ())))
    for _, *arguments in cast(Iterable[Sequence[object]], call.get("steps", ())):
        count += len(arguments)
    return count


@dataclass(frozen=True, eq=False)
class SharedCalls:
    """Calls that are made of many submissions: packed once, and sent once to each warm sandbox.

    A warm sandbox keeps them, and each later submission of which they are made could find all of them there, so
    nothing that was learnt from one submission may be in them. Calls of a second stage are packed once as well,
    but sent to each run again and kept nowhere.
    """

    calls: Sequence[WireCall]

    def __len__(self) -> int:
        return len(self.calls)

    @cached_property
    def packed(self) -> bytes:
        """The calls as the worker reads them; expected values never enter these bytes."""
        return pack([dict(call) for call in self.calls])

    @cached_property
    def digest(self) -> str:
        """The name under which a sandbox keeps them."""
        return hashlib.blake2b(self.packed, digest_size=16).hexdigest()


@dataclass(frozen=True, eq=False)
class DataFiles:
    """Files of the course that submissions may read, by their relative paths: sent once to each warm sandbox.

    Students have the same files, so nothing hidden may be in them.
    """

    files: Mapping[str, bytes]

    @cached_property
    def packed(self) -> bytes:
        """The files as the worker reads them."""
        return pack(self.as_arrays())

    @cached_property
    def digest(self) -> str:
        """The name under which a sandbox keeps them."""
        return hashlib.blake2b(self.packed, digest_size=16).hexdigest()

    def as_arrays(self) -> dict[str, object]:
        """Return the content of each file as an array of bytes, because a message holds no plain bytes."""
        arrays: dict[str, object] = {}
        for name, content in self.files.items():
            arrays[name] = np.frombuffer(content, np.uint8)
        return arrays


NO_DATA = DataFiles({})


@dataclass(frozen=True)
class Request:
    """One run of a submission.

    Attributes:
        code: the submission's code.
        calls: the calls to make.
        library: the library to have imported: ``numpy``, ``torch``, or ``torch.optim`` for torch with all that
            its optimizers import.
        limits: the limits of the run.
        later_calls: the calls of a second stage of the same process. The process gets them only when the
            trusted side has the answers to ``calls``, so that no later input can be in these answers.
        before_later: called between the stages, while the process is stopped: for the first stages of other
            code of the submission.
        data: files of the homework that the code may read.
    """

    code: Code
    calls: Sequence[WireCall] | SharedCalls
    library: str = "numpy"
    limits: Limits = field(default_factory=Limits)
    later_calls: SharedCalls | None = None
    before_later: Callable[[], object] | None = None
    data: DataFiles = NO_DATA

    @property
    def first_calls(self) -> Sequence[WireCall]:
        """The calls of the first stage."""
        if isinstance(self.calls, SharedCalls):
            return self.calls.calls
        return self.calls

    @cached_property
    def more_seconds(self) -> float:
        """The seconds to add to the limit of the run for calls that have limits of their own."""
        if not self.limits.of_functions:
            return 0.0
        calls = list(self.first_calls)
        if self.later_calls is not None:
            calls += self.later_calls.calls
        # Whatever reads a value calls nothing.
        functions = []
        for call in calls:
            if "args" in call:
                functions.append(str(call["name"]))
        return self.limits.more_seconds(functions)

    @property
    def seconds(self) -> float:
        """The wall-clock time of the whole run."""
        return self.limits.seconds + self.more_seconds

    @property
    def process_limits(self) -> dict[str, float]:
        """The limits that hold for the process as a whole, as it is told them before it reads the request."""
        return {
            "seconds": self.seconds,
            "cpu_seconds": self.limits.cpu_seconds,
            "more_cpu_seconds": self.more_seconds,
            "memory_mb": self.limits.memory_mb,
            "answer_mb": self.limits.answer_mb,
        }

    def pack(self, *, with_data: bool = False) -> bytes:
        """Return the bytes that the worker reads, without shared and later calls.

        Expected values never enter them.

        Args:
            with_data: also put in the data files, for a worker that keeps none.
        """
        data = None
        if with_data and self.data.files:
            data = self.data.as_arrays()
        cells = None
        if self.code.cells is not None:
            cells = [dict(vars(cell)) for cell in self.code.cells]
        calls = None
        order = None
        edits = None
        if not isinstance(self.calls, SharedCalls):
            # The same inputs go to each mutant, and to each change of a function: they are packed once.
            keys = list(map(_key_of_inputs, self.calls))
            distinct = dict(zip(keys, self.calls, strict=True))
            if len(distinct) < len(self.calls):
                place = {key: number for number, key in enumerate(distinct)}
                order = [place[key] for key in keys]
                edits = list(map(_code_of, self.calls))
                calls = list(map(_inputs_of, distinct.values()))
            else:
                calls = [dict(call) for call in self.calls]
        return pack(
            {
                "entry": self.code.entry,
                "files": dict(self.code.files),
                "cells": cells,
                "data": data,
                "calls": calls,
                "order": order,
                "edits": edits,
                "call_seconds": self.limits.call_seconds,
                "function_seconds": dict(self.limits.of_functions),
                "loading": self.limits.loading,
            }
        )


def _key_of_inputs(call: WireCall) -> Hashable:
    """Return a key that two calls share only if they differ in nothing but the code.

    Values are told apart by their identity, so that no array need be read.
    """
    parts: list[Hashable] = []
    for name, value in call.items():
        if name in CODE_OF_CALL:
            continue
        if type(value) is list:
            parts.append((name, *map(id, value)))
        elif type(value) is dict:
            parts.append((name, *value, *map(id, value.values())))
        else:
            parts.append((name, id(value)))
    return tuple(parts)


def _inputs_of(call: WireCall) -> dict[str, object]:
    inputs = {}
    for name in call:
        if name not in CODE_OF_CALL:
            inputs[name] = call[name]
    return inputs


def _code_of(call: WireCall) -> dict[str, object]:
    code = {}
    for name in CODE_OF_CALL:
        if name in call:
            code[name] = call[name]
    return code
