"""Load a submission from memory: a ``.py`` statement by statement, or a notebook cell by cell.

An exception is kept, and what follows still runs: a failing demonstration says nothing about the functions.
"""

from __future__ import annotations
import __future__

import _thread
import ast
import builtins
import importlib.abc
import linecache
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from time import perf_counter, process_time
from typing import Any, NoReturn

from autograder.worker.errors import (
    SUBMISSION_ROOT,
    CallTimeLimit,
    describe_error,
    is_submitted,
)
from autograder.worker.inert import InertShell
from autograder.worker.one_entry import parse

NEVER_REPLACED = frozenset(
    {"attention_plots", "autograder", "numpy", "public_checks", "torch"}
)
MOST_STOPS = 50
"""How many stopped statements of files are reported; of a notebook, each cell is."""
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Lambda)
_ANNOTATIONS = __future__.annotations.compiler_flag
LARGEST_PART = 2 / 3
"""The share of the time left for loading that one cell, or one statement of a file, may use up."""
_waiting: tuple[threading.Timer, Any] | None = None
_has_interrupted = False
_SHORTEST = 0.01  # seconds for what runs when no time is left
_AGAIN = (
    0.02  # seconds until code that has caught the interruption is interrupted again
)
_Run = Callable[[str, str, dict[str, Any]], None]
_set_handler, _set_timer, _end_process = (
    signal.signal,
    getattr(signal, "setitimer", None),
    os._exit,
)
"""Taken before a submission is loaded, which may bind something else to these names."""


@dataclass
class Loaded:
    """The names that a submission defined, and in order what stopped while it was loaded."""

    namespace: dict[str, Any]
    stops: list[dict[str, object]] = field(default_factory=list)


class SubmittedFiles(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves the submission's ``.py`` files as top-level modules without a file system.

    As in the folder of a script, they come before libraries of the same name, but not before those that
    the worker itself needs.
    """

    def __init__(self, files: dict[str, str], run: _Run) -> None:
        self._files = files
        self._run = run

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        found = f"{fullname}.py" in self._files and fullname not in NEVER_REPLACED
        return ModuleSpec(fullname, self) if found and path is None else None

    def exec_module(self, module: types.ModuleType) -> None:
        name = f"{module.__name__}.py"
        module.__file__ = SUBMISSION_ROOT + name
        self._run(self._files[name], module.__file__, vars(module))


def load_code(
    files: dict[str, str],
    entry: str,
    cells: Sequence[dict[str, Any]] | None,
    limits: tuple[float, float],
) -> Loaded:
    """Run the file ``entry`` as a module, or the cells of a notebook in one namespace.

    Args:
        files: the submission's ``.py`` files by name.
        entry: one of these names, or the notebook's.
        cells: the notebook's code cells, each with ``number`` and ``source``; None for a file.
        limits: seconds that loading may take, and of processor time, since a busy machine must not cut
            a right answer. Each cell, and each statement of a file, may use two thirds of what is left, so
            that a submission full of endless loops still gets to its calls.
    """
    name = "__main__" if cells is not None else entry.removesuffix(".py")
    if cells is None and (name in sys.modules or name in NEVER_REPLACED):
        name = f"submitted_{name}"
    module = sys.modules[name] = types.ModuleType(name)
    loading = _Loading(*limits)
    sys.meta_path.insert(0, SubmittedFiles(files, loading.run_file))
    shell = InertShell(
        vars(module),
        files,
        lambda source, name: run_together(source, name, vars(module)),
    )
    # What IPython offers everywhere is used in notebooks that were exported as ``.py`` as well.
    vars(builtins).update(
        get_ipython=lambda: shell, display=lambda *args, **kwargs: None
    )
    with _no_way_out():
        if cells is None:
            module.__file__ = SUBMISSION_ROOT + entry
            with loading.kept():
                loading.run_file(files[entry], module.__file__, vars(module))
        for cell in cells or ():
            place = f"{SUBMISSION_ROOT}cell {cell['number']}"
            with loading.kept(cell["number"]), loading.most_of_the_time():
                run_together(str(cell["source"]), place, vars(module))
    return Loaded(vars(module), loading.stops)


class _Loading:
    """Runs code part by part: the exception that stops one is kept, and the next one runs."""

    def __init__(self, wall: float, processor: float) -> None:
        self.stops: list[dict[str, object]] = []
        self._ends = (perf_counter() + wall, process_time() + processor)
        self._is_within = False

    def run_file(self, source: str, filename: str, namespace: dict[str, Any]) -> None:
        """Run each statement of a file as one part; a SyntaxError anywhere is raised before any runs."""
        parsed = _Source(source, filename)
        for code in list(map(parsed.code, parsed.statements)):
            with self.kept(), self.most_of_the_time():
                exec(code, namespace)

    @contextmanager
    def kept(self, cell: int | None = None) -> Iterator[None]:
        """Keep the exception that ends a part; SystemExit and KeyboardInterrupt end nothing beyond it."""
        try:
            yield
        except BaseException as error:
            if cell is not None or len(self.stops) < MOST_STOPS:
                self.stops.append({"cell": cell, **describe_error(error)})

    @contextmanager
    def most_of_the_time(self) -> Iterator[None]:
        """Interrupt what takes more than the largest part of what is left.

        A module that is imported within shares the time of its import.
        """
        ends, was_within = self._ends, self._is_within
        wall, processor = perf_counter(), process_time()
        left = ends[0] - wall, ends[1] - processor
        self._ends = wall + LARGEST_PART * left[0], processor + LARGEST_PART * left[1]
        self._is_within = True
        try:
            self._start_timers()
            yield
        finally:
            self._ends, self._is_within = ends, was_within
            self._start_timers()

    def _start_timers(self) -> None:
        """Interrupt a running part at its end; outside of all parts, clear the timers."""
        if self._is_within:
            left = self._ends[0] - perf_counter(), self._ends[1] - process_time()
            _set_timers(max(left[0], _SHORTEST), max(left[1], _SHORTEST))
        else:
            _set_timers()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``CallTimeLimit`` in code that takes longer; outer limits stop what ignores or clears timers."""
    _set_timers(seconds)
    try:
        yield
    finally:
        _set_timers()


def _set_timers(wall: float = 0, processor: float = 0) -> None:
    """Interrupt after so many seconds, even code that only sleeps, and again while it goes on; 0 means never.

    Without timers, as on Windows, a thread interrupts as Ctrl-C does, once and by the wall's clock alone.
    """
    global _waiting, _has_interrupted
    _has_interrupted = False
    if _set_timer is not None:
        both = (
            (signal.SIGALRM, signal.ITIMER_REAL, wall),
            (signal.SIGPROF, signal.ITIMER_PROF, processor),
        )
        for number, timer, seconds in both:
            _set_handler(number, _interrupt)
            _set_timer(timer, seconds, _AGAIN)
        return
    if _waiting is not None:
        _waiting[0].cancel()
        _set_handler(signal.SIGINT, _waiting[1])
        _waiting = None
    if wall:
        alarm = threading.Timer(wall, _thread.interrupt_main)
        alarm.daemon = True
        _waiting = alarm, _set_handler(signal.SIGINT, _interrupt)
        alarm.start()


def _interrupt(signum: int, frame: types.FrameType | None) -> None:
    """Raise what ends a part or a call; again only where a submission runs on, not in what ends it."""
    global _has_interrupted
    if _has_interrupted:
        while frame and not is_submitted(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return
    _has_interrupted = True
    raise CallTimeLimit


@contextmanager
def _no_way_out() -> Iterator[None]:
    """Let ``os._exit`` end what runs it, as ``sys.exit`` does, and not the process."""

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = _end_process


def run_together(source: str, filename: str, namespace: dict[str, Any]) -> None:
    """Run a cell; after a failing statement only later definitions are made, then its exception is raised."""
    failure: BaseException | None = None
    parsed = _Source(source, filename)
    for statement in parsed.statements:
        value = statement.value if isinstance(statement, ast.Assign) else statement
        if failure is not None and not isinstance(value, _DEFINITIONS):
            continue
        try:
            exec(parsed.code(statement), namespace)
        except BaseException as error:
            failure = error if failure is None else failure
    if failure is not None:
        raise failure


class _Source:
    """The statements of a source text, and their code; tracebacks find its lines."""

    def __init__(self, text: str, filename: str) -> None:
        linecache.cache[filename] = (
            len(text),
            None,
            text.splitlines(keepends=True),
            filename,
        )
        self.statements = parse(text, filename).body
        self._filename = filename
        self._futures = 0

    def code(self, statement: ast.stmt) -> types.CodeType:
        """Compile a statement; a future import holds for those that are compiled later."""
        single = ast.Module([statement], [])
        code: types.CodeType = compile(
            single, self._filename, "exec", self._futures, dont_inherit=True
        )
        self._futures |= code.co_flags & _ANNOTATIONS
        return code
