"""Run a student's code in this process with what is there where it is graded, and without all the rest.

A habit that works on a student's machine alone (a library, a data file beside the work, a variable of the
environment) fails here as it will fail there, and nothing fails that grading takes.
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

import numpy as np

from autograder.course.homework import Homework
from autograder.sandbox.request import WORKER_ENVIRONMENT, Code
from autograder.worker.errors import SUBMISSION_ROOT, is_submitted
from autograder.worker.inert import INERT_PACKAGES, InertFinder, install_inert_modules
from autograder.worker.load import SubmittedFiles
from autograder.worker.runner import RECURSION_LIMIT
from autograder.worker.scratch import ScratchFolder

OFFERED = frozenset(
    {*sys.stdlib_module_names, "autograder", "numpy", "pytest", "torch", "yaml"}
    | {
        "filelock",
        "fsspec",
        "jinja2",
        "markupsafe",
        "mpmath",
        "networkx",
        "sympy",
        "typing_extensions",
    }
)
"""What every grader has; the last ones come with torch."""
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
) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Put this process in order for a student's code, and back afterwards; yields what opens when it runs."""
    with contextlib.ExitStack() as undo:
        environment, hidden = dict(os.environ), _hidden(code, homework)
        undo.callback(_restore_modules, dict(sys.modules), hidden)
        undo.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        for owner, name in ((os, "system"), (sys, "argv")):
            undo.callback(setattr, owner, name, getattr(owner, name))
        for places in (sys.meta_path, sys.path):
            undo.callback(places.__setitem__, slice(None), [*places])
        undo.callback(_set_environment, environment)
        undo.enter_context(warnings.catch_warnings(action="ignore"))
        there = _readable()
        kept = {
            name: environment[name] for name in ("SYSTEMROOT",) if name in environment
        }
        _set_environment({**kept, **WORKER_ENVIRONMENT})
        tops = tuple(os.path.join(top, "") for top in there)
        sys.path[:] = [
            one for one in sys.path if os.path.join(one, "").startswith(tops)
        ]
        sys.argv = [code.entry]
        os.system = lambda command: -1  # as where no process can be started
        sys.setrecursionlimit(RECURSION_LIMIT)
        for name in hidden:
            del sys.modules[name]
        sys.meta_path.insert(0, OnlyOffered(homework.libraries))
        install_inert_modules()
        scratch = ScratchFolder(code.files, there)

        @contextlib.contextmanager
        def running() -> Iterator[None]:
            with scratch.in_use(), _refusing(), _ended_after(homework.limits.seconds):
                yield

        yield running


class OnlyOffered(importlib.abc.MetaPathFinder):
    """Refuses the code what not every grader has, so that nothing is promised that another grader fails."""

    def __init__(self, more: Sequence[str]) -> None:
        self._offered = OFFERED.union(more)

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> None:
        if path is None and fullname not in self._offered:
            frame: FrameType | None = sys._getframe(1)
            while (
                frame
                and str(frame.f_globals.get("__name__")).partition(".")[0]
                == "importlib"
            ):
                frame = frame.f_back
            if frame and is_submitted(
                frame.f_code.co_filename
            ):  # and not a library of its own needs
                raise ModuleNotFoundError(
                    f"No module named {fullname!r}", name=fullname
                )


def _hidden(code: Code, homework: Homework) -> list[str]:
    """The names of loaded modules that the code may ask for and that are not there in grading.

    Of what is drawn with all is hidden: half of it beside half of a stand-in fails in strange ways.
    """
    tops = {name.partition(".")[0] for name in sys.modules}
    ours = {"__main__", *OFFERED, *homework.libraries}
    gone = (tops & INERT_PACKAGES) | {
        top for top in tops - ours - INERT_PACKAGES if code.mentions(top)
    }
    return [name for name in sys.modules if name.partition(".")[0] in gone]


def _restore_modules(before: dict[str, ModuleType], hidden: list[str]) -> None:
    """Forget the student's modules and the stand-ins; libraries that were loaded meanwhile stay."""
    for name, module in list(sys.modules.items()):
        if module is before.get(name):
            continue
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        is_entry = str(getattr(module, "__file__", None) or "").startswith(
            SUBMISSION_ROOT
        )
        if is_entry or isinstance(loader, SubmittedFiles | InertFinder):
            del sys.modules[name]
    sys.modules.update({name: before[name] for name in ("__main__", *hidden)})


def _set_environment(values: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(values)


@functools.cache
def _readable() -> tuple[str, ...]:
    """Where there is something to read in grading as well: Python with its libraries, and the system's."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    parts = [
        os.path.join(prefix, part) for prefix in prefixes for part in PARTS_OF_PYTHON
    ]
    packages = [
        one
        for one in sys.path
        if os.path.basename(one) in ("site-packages", "dist-packages")
    ]
    libraries = [str(Path(one).parents[1]) for one in (__file__, np.__file__)]
    written = dict.fromkeys(
        [*parts, *packages, *libraries, str(Path(__file__).parents[2])]
    )
    return (*dict.fromkeys([*written, *map(os.path.realpath, written)]), *SYSTEM)


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
