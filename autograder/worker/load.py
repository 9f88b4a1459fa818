"""Load a submission from memory: its ``.py`` files as modules, or its notebook's cells in order."""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import linecache
import signal
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn

from autograder.worker.errors import SUBMISSION_ROOT, CallTimeLimit, describe_error
from autograder.worker.inert import InertShell
from autograder.worker.one_entry import parse

NEVER_REPLACED = frozenset({"attention_plots", "autograder", "numpy", "torch"})
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Lambda)
_set_handler, _set_timer = signal.signal, getattr(signal, "setitimer", None)
"""Taken before a submission is loaded, which may bind something else to these names."""


@dataclass
class Loaded:
    """The names that a submission defined, and what failed on the way."""

    namespace: dict[str, Any]
    error: dict[str, object] | None = None
    failed_cells: list[dict[str, object]] = field(default_factory=list)


class SubmittedFiles(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves the submission's ``.py`` files as top-level modules without a file system.

    As in the folder of a script, they come before libraries of the same name, but not before those that
    the worker itself needs.
    """

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        found = f"{fullname}.py" in self._files and fullname not in NEVER_REPLACED
        return ModuleSpec(fullname, self) if found and path is None else None

    def exec_module(self, module: types.ModuleType) -> None:
        name = f"{module.__name__}.py"
        module.__file__ = SUBMISSION_ROOT + name
        _execute(self._files[name], module.__file__, vars(module))


def load_module(files: dict[str, str], entry: str, seconds: float = 0.0) -> Loaded:
    """Run ``entry`` (a name in ``files``) as a module; its exception, if any, is the load's error.

    It may take so many seconds of wall time and as many of processor time; 0 is no limit.
    """
    name = entry.removesuffix(".py")
    taken = name in sys.modules or name in NEVER_REPLACED
    module = types.ModuleType(f"submitted_{name}" if taken else name)
    module.__file__ = SUBMISSION_ROOT + entry
    sys.modules[module.__name__] = module
    _offer(vars(module), files)
    try:
        with time_limit(seconds, seconds):
            _execute(files[entry], module.__file__, vars(module))
    except BaseException as error:  # SystemExit and KeyboardInterrupt of a submission are its failure too
        return Loaded({}, error=describe_error(error))
    return Loaded(vars(module))


def load_notebook(
    files: dict[str, str], cells: list[dict[str, Any]], wall: float = 0.0, processor: float = 0.0
) -> Loaded:
    """Run the cells in their order in one namespace; a failing cell is recorded and the next one runs.

    ``wall`` and ``processor`` are seconds of one cell, as in ``time_limit``. A cell that is cut leaves half
    of them to the next, so that a notebook full of endless cells still gets to its calls.
    """
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    _offer(vars(module), files)
    loaded = Loaded(vars(module))
    for cell in cells:
        name = f"{SUBMISSION_ROOT}cell {cell['number']}"
        try:
            with time_limit(wall, processor):
                _run_statements(str(cell["source"]), name, loaded.namespace)
        except BaseException as error:  # a cell may also raise SystemExit; the notebook goes on
            if isinstance(error, CallTimeLimit):
                wall, processor = wall / 2, processor / 2
            loaded.failed_cells.append({"cell": cell["number"], **describe_error(error)})
    return loaded


@contextmanager
def time_limit(wall: float, processor: float = 0.0) -> Iterator[None]:
    """Interrupt Python code that takes longer; the outer limits stop what ignores or clears the timers.

    Args:
        wall: seconds that pass, for code that only sleeps; no limit at all where it is 0.
        processor: seconds of processor time, since a busy machine must not cut a correct answer; 0 for none.

    Raises:
        CallTimeLimit: in the code within.
    """
    if _set_timer is None or not wall:
        yield
        return
    for number in (signal.SIGALRM, signal.SIGPROF):
        _set_handler(number, _interrupt)
    _set_timer(signal.ITIMER_REAL, wall)
    _set_timer(signal.ITIMER_PROF, processor)
    try:
        yield
    finally:
        _set_timer(signal.ITIMER_REAL, 0)
        _set_timer(signal.ITIMER_PROF, 0)


def _interrupt(signum: int, frame: types.FrameType | None) -> NoReturn:
    raise CallTimeLimit


def _offer(namespace: dict[str, Any], files: dict[str, str]) -> None:
    """Offer the files beside the entry, and the names that IPython offers everywhere.

    A notebook exported as ``.py`` uses these names too.
    """
    sys.meta_path.insert(0, SubmittedFiles(files))
    shell = InertShell(namespace, files, lambda source, name: _run_statements(source, name, namespace))
    vars(builtins)["get_ipython"] = lambda: shell
    vars(builtins)["display"] = lambda *args, **kwargs: None


def _execute(source: str, filename: str, namespace: dict[str, Any]) -> None:
    _remember(filename, source)
    exec(compile(parse(source, filename), filename, "exec", dont_inherit=True), namespace)


def _run_statements(source: str, filename: str, namespace: dict[str, Any]) -> None:
    """Run a cell; after a failing statement only later definitions are made, then its exception is raised.

    A demonstration that breaks half-way through a cell says nothing about the functions below it.
    """
    _remember(filename, source)
    failure: BaseException | None = None
    for statement in parse(source, filename).body:
        value = statement.value if isinstance(statement, ast.Assign) else statement
        if failure is not None and not isinstance(value, _DEFINITIONS):
            continue
        try:
            single = ast.Module([statement], [])
            exec(compile(single, filename, "exec", dont_inherit=True), namespace)
        except BaseException as error:
            failure = error if failure is None else failure
    if failure is not None:
        raise failure


def _remember(filename: str, source: str) -> None:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
