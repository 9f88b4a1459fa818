"""Load a submission from memory: a ``.py`` statement by statement, or a notebook cell by cell.

An exception is recorded, and what follows still runs: a failing demonstration says nothing about the functions.
"""

from __future__ import annotations
import __future__

import _thread
import ast
import builtins
import importlib
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

from autograder.worker.errors import CallTimeLimit, describe_error
from autograder.worker.inert import PLOTS, InertShell
from autograder.worker.one_entry import parse
from autograder.worker.places import SUBMISSION_ROOT, Namespace, is_submitted

NEVER_REPLACED = frozenset({*PLOTS, "autograder", "numpy", "public_checks", "torch"})
"""Modules that a submission's file of the same name does not replace."""
MOST_STOPS = 50
"""How many stopped statements of files are reported; of a notebook, each cell is."""
LARGEST_PART = 2 / 3
"""The share of the time left for loading that one cell, or one statement of a file, may use up."""
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Lambda)
_FUTURE_ANNOTATIONS = __future__.annotations.compiler_flag
_SHORTEST = 0.01
"""Seconds for code that runs when no time is left."""
_AGAIN = 0.02
"""Seconds until code that has caught the interruption is interrupted again."""
# Not `signal.signal`, which looks up enumerations: it would take a tenth of the time of a small call.
_signal: Any = importlib.import_module("_signal")
_set_handler = _signal.signal
_set_timer = getattr(signal, "setitimer", None)
_end_process = os._exit
"""Taken before a submission is loaded, which may bind something else to these names."""
_waiting: tuple[threading.Timer, Any] | None = None
"""Where there are no timers: the thread that will interrupt, and the handler to put back."""
_has_interrupted = False
_Run = Callable[[str, str, Namespace], None]


@dataclass
class Loaded:
    """The names that a submission defined, and in order what stopped while it was loaded."""

    namespace: Namespace
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
        if path is not None or fullname in NEVER_REPLACED:
            return None
        if f"{fullname}.py" not in self._files:
            return None
        return ModuleSpec(fullname, self)

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
        limits: seconds that loading may take, and seconds of processor time, since a busy machine must not cut
            a right answer. Each cell, and each statement of a file, may use two thirds of what is left, so
            that a submission full of endless loops still gets to its calls.
    """
    module = _new_module(entry, is_notebook=cells is not None)
    namespace = vars(module)
    loading = _Loading(*limits)
    sys.meta_path.insert(0, SubmittedFiles(files, loading.run_file))

    def run_among_its_names(source: str, filename: str) -> None:
        run_together(source, filename, namespace)

    shell = InertShell(namespace, files, run_among_its_names)
    # IPython offers these everywhere, so notebooks that were exported as ``.py`` use them as well.
    vars(builtins)["get_ipython"] = lambda: shell
    vars(builtins)["display"] = lambda *args, **kwargs: None
    with _no_way_out():
        if cells is None:
            module.__file__ = SUBMISSION_ROOT + entry
            with loading.recorded():
                loading.run_file(files[entry], module.__file__, namespace)
        for cell in cells or ():
            number = cell["number"]
            with loading.recorded(number), loading.within_share_of_time_left():
                filename = f"{SUBMISSION_ROOT}cell {number}"
                run_together(str(cell["source"]), filename, namespace)
    return Loaded(namespace, loading.stops)


def _new_module(entry: str, *, is_notebook: bool) -> types.ModuleType:
    """Make the module that a submission is loaded into, and add it to the imported ones."""
    name = "__main__"
    if not is_notebook:
        name = entry.removesuffix(".py")
        if name in sys.modules or name in NEVER_REPLACED:
            name = f"submitted_{name}"
    module = types.ModuleType(name)
    sys.modules[name] = module
    return module


class _Loading:
    """Runs code part by part: the exception that stops one is recorded, and the next one runs."""

    def __init__(self, wall_seconds: float, processor_seconds: float) -> None:
        self.stops: list[dict[str, object]] = []
        self._wall_end = perf_counter() + wall_seconds
        self._processor_end = process_time() + processor_seconds
        self._is_within = False

    def run_file(self, source: str, filename: str, namespace: Namespace) -> None:
        """Run each statement of a file as one part; a SyntaxError anywhere is raised before any runs."""
        parsed = _Source(source, filename)
        codes = [parsed.code(statement) for statement in parsed.statements]
        for code in codes:
            with self.recorded(), self.within_share_of_time_left():
                exec(code, namespace)

    @contextmanager
    def recorded(self, cell: int | None = None) -> Iterator[None]:
        """Record the exception that ends a part; SystemExit and KeyboardInterrupt end nothing beyond it."""
        try:
            yield
        except BaseException as error:
            if cell is not None or len(self.stops) < MOST_STOPS:
                self.stops.append({"cell": cell, **describe_error(error)})

    @contextmanager
    def within_share_of_time_left(self) -> Iterator[None]:
        """Interrupt a part that takes more than its share of the time that is left.

        A module that is imported within it shares the time of its import.
        """
        outer = (self._wall_end, self._processor_end, self._is_within)
        wall = perf_counter()
        processor = process_time()
        self._wall_end = wall + LARGEST_PART * (self._wall_end - wall)
        self._processor_end = processor + LARGEST_PART * (
            self._processor_end - processor
        )
        self._is_within = True
        try:
            self._start_timers()
            yield
        finally:
            self._wall_end, self._processor_end, self._is_within = outer
            self._start_timers()

    def _start_timers(self) -> None:
        """Interrupt a running part at its end; outside of all parts, clear the timers."""
        if not self._is_within:
            _set_timers()
            return
        wall_seconds = max(self._wall_end - perf_counter(), _SHORTEST)
        processor_seconds = max(self._processor_end - process_time(), _SHORTEST)
        _set_timers(wall_seconds, processor_seconds)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``CallTimeLimit`` in code that takes longer; outer limits stop code that ignores or clears timers."""
    _set_timers(seconds)
    try:
        yield
    finally:
        _set_timers()


def _set_timers(wall_seconds: float = 0, processor_seconds: float = 0) -> None:
    """Interrupt after so many seconds, even code that only sleeps, and again while it goes on; 0 means never.

    Without timers, as on Windows, a thread interrupts as Ctrl-C does, once and by wall-clock time only.
    """
    global _waiting, _has_interrupted
    _has_interrupted = False
    if _set_timer is not None:
        _set_handler(signal.SIGALRM, _interrupt)
        _set_timer(signal.ITIMER_REAL, wall_seconds, _AGAIN)
        _set_handler(signal.SIGPROF, _interrupt)
        _set_timer(signal.ITIMER_PROF, processor_seconds, _AGAIN)
        return
    if _waiting is not None:
        alarm, handler = _waiting
        alarm.cancel()
        _set_handler(signal.SIGINT, handler)
        _waiting = None
    if wall_seconds:
        alarm = threading.Timer(wall_seconds, _thread.interrupt_main)
        alarm.daemon = True
        _waiting = (alarm, _set_handler(signal.SIGINT, _interrupt))
        alarm.start()


def _interrupt(signum: int, frame: types.FrameType | None) -> None:
    """Raise the exception that ends a part or a call.

    It is raised again only if the submission runs on, and not while the worker ends the part.
    """
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
    """Let ``os._exit`` end only the part that calls it, as ``sys.exit`` does, and not the process."""

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = _end_process


def run_together(source: str, filename: str, namespace: Namespace) -> None:
    """Run the statements of a cell; after a failing one only later definitions are made.

    Raises:
        BaseException: the first exception of a statement, after all definitions are made.
    """
    failure: BaseException | None = None
    parsed = _Source(source, filename)
    for statement in parsed.statements:
        # `f = lambda x: …` is a definition, too.
        value = statement.value if isinstance(statement, ast.Assign) else statement
        if failure is not None and not isinstance(value, _DEFINITIONS):
            continue
        try:
            exec(parsed.code(statement), namespace)
        except BaseException as error:
            if failure is None:
                failure = error
    if failure is not None:
        raise failure


class _Source:
    """The statements of a source text, and their code; tracebacks find its lines."""

    def __init__(self, text: str, filename: str) -> None:
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        self.statements = parse(text, filename).body
        self._filename = filename
        self._futures = 0

    def code(self, statement: ast.stmt) -> types.CodeType:
        """Compile a statement; a future import is in force for the statements that are compiled later."""
        module = ast.Module([statement], [])
        code: types.CodeType = compile(
            module, self._filename, "exec", self._futures, dont_inherit=True
        )
        self._futures |= code.co_flags & _FUTURE_ANNOTATIONS
        return code
