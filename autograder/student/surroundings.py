"""Run a student's code in this process with everything that grading offers, and nothing else.

A habit that works only on a student's machine (a library, a data file next to the work, an environment
variable) fails here as it will fail there, and nothing fails that grading takes.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import functools
import importlib.abc
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from autograder.course.homework import Homework
from autograder.sandbox.request import WORKER_ENVIRONMENT, Code
from autograder.worker.inert import INERT_PACKAGES, InertFinder, install_inert_modules
from autograder.worker.load import SubmittedFiles
from autograder.worker.places import SUBMISSION_ROOT, is_submitted
from autograder.worker.runner import RECURSION_LIMIT
from autograder.worker.scratch import ScratchFolder

COME_WITH_TORCH = (
    "filelock",
    "fsspec",
    "jinja2",
    "markupsafe",
    "mpmath",
    "networkx",
    "sympy",
    "typing_extensions",
)
OFFERED = frozenset(
    (
        *sys.stdlib_module_names,
        "autograder",
        "numpy",
        "pytest",
        "torch",
        "yaml",
        *COME_WITH_TORCH,
    )
)
"""Modules that every grader has."""
SYSTEM = (
    "/bin",
    "/dev",
    "/etc",
    "/gnu/store",
    "/lib",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sys",
    "/usr",
)
PARTS_OF_PYTHON = (
    "bin",
    "DLLs",
    "Lib",
    "lib",
    "lib64",
    "Scripts",
    "share",
    "pyvenv.cfg",
)
LOOKS_UP = "socket.getaddrinfo"
REFUSED = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "subprocess.Popen",
        "socket.__new__",
    }
)
"""What asks for processes or the network, by the names under which Python announces it."""


@contextlib.contextmanager
def surroundings(
    code: Code, homework: Homework
) -> Iterator[Callable[..., AbstractContextManager[None]]]:
    """Put this process in order for a student's code, and back afterwards.

    Yields what opens when the code runs; an argument is the seconds on top of the homework's limit.
    """
    with contextlib.ExitStack() as undo:
        # How everything is put back.
        environment = dict(os.environ)
        hidden = _hidden(code, homework)
        undo.callback(_restore_modules, dict(sys.modules), hidden)
        undo.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        undo.callback(setattr, os, "system", os.system)
        undo.callback(setattr, sys, "argv", sys.argv)
        undo.callback(sys.meta_path.__setitem__, slice(None), [*sys.meta_path])
        undo.callback(sys.path.__setitem__, slice(None), [*sys.path])
        undo.callback(_set_environment, environment)
        undo.enter_context(warnings.catch_warnings(action="ignore"))

        # As it is where the code is graded.
        worker_environment = dict(WORKER_ENVIRONMENT)
        if "SYSTEMROOT" in environment:  # Python needs it on Windows
            worker_environment["SYSTEMROOT"] = environment["SYSTEMROOT"]
        _set_environment(worker_environment)
        readable = _readable()
        tops = tuple(os.path.join(top, "") for top in readable)
        readable_entries = []
        for folder in sys.path:
            if os.path.join(folder, "").startswith(tops):
                readable_entries.append(folder)
        sys.path[:] = readable_entries
        sys.argv = [code.entry]
        os.system = lambda command: -1  # as where no process can be started
        sys.setrecursionlimit(RECURSION_LIMIT)
        for name in hidden:
            del sys.modules[name]
        sys.meta_path.insert(0, OnlyOffered(homework.allowed_modules))
        install_inert_modules()
        scratch = ScratchFolder(code.files, readable, homework.data_files.files)

        @contextlib.contextmanager
        def running(more_seconds: float = 0.0) -> Iterator[None]:
            seconds = homework.limits.seconds + more_seconds
            with scratch.in_use(), _refusing(), _ended_after(seconds):
                yield

        yield running


class OnlyOffered(importlib.abc.MetaPathFinder):
    """Refuses imports that not every grader has, so that code which passes here also runs there."""

    def __init__(self, more: Sequence[str]) -> None:
        self._offered = OFFERED.union(more)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> None:
        if path is not None or fullname in self._offered:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and _is_of_importlib(frame):
            frame = frame.f_back
        # A library may import what it needs.
        if frame is not None and is_submitted(frame.f_code.co_filename):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _is_of_importlib(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name.partition(".")[0] == "importlib"


def _hidden(code: Code, homework: Homework) -> list[str]:
    """Return the names of loaded modules that the code may ask for and that are not there in grading.

    Libraries for drawing are hidden as a whole: half of one next to half of a stand-in fails in strange ways.
    """
    tops = {name.partition(".")[0] for name in sys.modules}
    hidden = tops & INERT_PACKAGES
    for top in tops - {"__main__", *OFFERED, *homework.allowed_modules}:
        if code.mentions(top):
            hidden.add(top)
    names = []
    for name in sys.modules:
        if name.partition(".")[0] in hidden:
            names.append(name)
    return names


def is_of_student(module: ModuleType) -> bool:
    """Return whether a module is one of the student's files."""
    names = names_of(module)
    loader = getattr(names.get("__spec__"), "loader", None)
    file = str(names.get("__file__") or "")
    return isinstance(loader, SubmittedFiles) or file.startswith(SUBMISSION_ROOT)


def names_of(module: ModuleType) -> dict[str, Any]:
    """Return the names that a module defines, asking it for none: some libraries' modules make up any.

    What Python keeps as a module may also be None, where an import is forbidden.
    """
    names: dict[str, Any] = getattr(module, "__dict__", {})
    return names


def _restore_modules(before: dict[str, ModuleType], hidden: list[str]) -> None:
    """Forget the student's modules and the stand-ins; libraries that were loaded meanwhile stay."""
    for name, module in list(sys.modules.items()):
        if module is before.get(name):
            continue
        loader = getattr(names_of(module).get("__spec__"), "loader", None)
        if is_of_student(module) or isinstance(loader, InertFinder):
            del sys.modules[name]
    for name in ("__main__", *hidden):
        sys.modules[name] = before[name]


def _set_environment(values: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(values)


@functools.cache
def _readable() -> tuple[str, ...]:
    """Return the folders that are there to be read in grading as well: Python's, its libraries', the system's."""
    folders = []
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        for part in PARTS_OF_PYTHON:
            folders.append(os.path.join(prefix, part))
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages"):
            folders.append(folder)
    for module_file in (__file__, np.__file__):
        folders.append(str(Path(module_file).parents[1]))
    folders.append(str(Path(__file__).parents[2]))
    real = [os.path.realpath(folder) for folder in folders]
    return (*dict.fromkeys([*folders, *real]), *SYSTEM)


_confined: list[int] = []
"""The threads that are refused processes and the network."""


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Refuse this thread processes and the network, with the errors of grading."""
    _watch_for_refused()
    _confined.append(threading.get_ident())
    try:
        yield
    finally:
        _confined.pop()


@functools.cache
def _watch_for_refused() -> None:
    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event not in {*REFUSED, LOOKS_UP} or threading.get_ident() not in _confined:
            return
        if event in REFUSED:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        if re.search("[A-Za-z]", str(arguments[0])):
            raise sys.modules["socket"].gaierror(
                -3, "Temporary failure in name resolution"
            )

    sys.addaudithook(refuse)  # which stays for good, and does nothing outside


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the process, with the line it is in, when code in C runs on: that heeds no other interruption."""
    if sys.__stderr__ is not None:
        with contextlib.suppress(OSError, ValueError):  # it is no file
            faulthandler.dump_traceback_later(
                seconds, exit=True, file=sys.__stderr__.fileno()
            )
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
