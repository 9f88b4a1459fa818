"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autograder.language import in_language, say
from autograder.reasons.errors import explain_import, note_stops
from autograder.sandbox.report import read_stop
from autograder.sandbox.request import Code, Limits
from autograder.student.answers import Clock, end_where_left, quiet
from autograder.student.bootstrap import not_installed
from autograder.student.find import OwnWork
from autograder.student.homework import PublicHomework
from autograder.student.judge import (
    LONGEST_FAULT,
    OUR_FAULT,
    Report,
    broken,
    judge,
    unwritten,
)
from autograder.student.surroundings import is_of_student, names_of, surroundings
from autograder.verdict.failure import WAITED, as_waited
from autograder.worker.load import Loaded, SubmittedFiles, load_code
from autograder.worker.runner import reset

A_DAY = 86400.0
LONGEST_TO_LOAD_ANEW = 2.0
"""Code that takes more seconds to load, such as a notebook that trains, is not loaded once more."""
MOST_LOADS = 6
"""So often is code loaded once more at most."""


@in_language
def check_work(
    public: PublicHomework, work: OwnWork, live: bool = False, more_time: float = 1
) -> Report:
    """Load the code that was found and run the public checks on what it defines.

    With ``live``, the code has this process's screen and keyboard, and all the time that a debugger takes; else
    it has ``more_time`` times what grading gives. A file as it was handed out is not loaded, which might import
    PyTorch for nothing.
    """
    if work.code is None:
        return broken(public, work.trouble)
    if work.is_untouched:
        return unwritten(public)
    if public.homework.library == "torch" and not _is_installed("torch"):
        return broken(public, f"{not_installed('torch')}.", work.notes)
    if live or more_time > 1:
        limits = public.homework.limits
        if live:
            long = Limits(A_DAY, A_DAY, A_DAY)
        else:
            cpu_seconds = more_time * limits.cpu_seconds
            long = replace(limits.longer(more_time), cpu_seconds=cpu_seconds)
        public = replace(public, homework=replace(public.homework, limits=long))
    return _check(public, work, work.code, live)


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


@contextlib.contextmanager
def _without_submitted_modules(entry: Loaded) -> Iterator[None]:
    """Forget the student's modules within the context, so that all of them can be loaded once more."""
    modules_before = dict(sys.modules)
    finders_before = list(sys.meta_path)
    try:
        for name, module in modules_before.items():
            if is_of_student(module) or names_of(module) is entry.namespace:
                del sys.modules[name]
        for finder in finders_before:
            if isinstance(finder, SubmittedFiles):
                sys.meta_path.remove(finder)
        yield
    finally:
        sys.meta_path[:] = finders_before
        for name, module in list(sys.modules.items()):
            if is_of_student(module):
                del sys.modules[name]
        sys.modules.update(modules_before)


def _places(loaded: Loaded) -> list[tuple[str, str | None, int | None]]:
    """Return the exceptions that stopped code while it was loaded: their types, files and lines."""
    places = []
    for stop in loaded.stops:
        error = read_stop(stop).error
        places.append((error.type, error.file, error.line))
    return places


def _check(public: PublicHomework, work: OwnWork, code: Code, live: bool) -> Report:
    homework = public.homework
    limits = homework.limits
    if homework.library == "torch" and code.mentions("torch"):
        # As a worker has it: that takes none of the student's time. Where it is missing, the student's own
        # line says so.
        with contextlib.suppress(ImportError):
            importlib.import_module("torch")
    with surroundings(code, homework) as running:
        if code.mentions("random"):
            # NumPy loads it late, and then it would miss the seed.
            importlib.import_module("numpy.random")
        cells = None
        if code.cells is not None:
            cells = [dict(vars(cell)) for cell in code.cells]

        def load() -> Loaded:
            with quiet(live), running():
                reset()
                return load_code(dict(code.files), code.entry, cells, limits.loading)

        clock = Clock()
        began = time.monotonic()
        loaded = load()
        seconds_of_loading = time.monotonic() - began
        stops = [read_stop(stop) for stop in loaded.stops]
        if clock.has_waited():
            stops = [
                replace(stop, error=as_waited(stop.error, WAITED)) for stop in stops
            ]
        if live:
            end_where_left(stop.error for stop in stops)

        # A task is there as a function or as a top-level value.
        missing = []
        names = set(public.course[homework.id]["left_behind"])
        for task in homework.tasks:
            task_names = {task.name, task.value}
            names |= task_names
            if task_names.isdisjoint(loaded.namespace):
                missing.append(task.name)
        if cells is None and stops and names.isdisjoint(loaded.namespace):
            error = stops[0].error
            reason = explain_import(error, code.entry, limits, error)
            return broken(public, reason.student, work.notes)
        notes = [*work.notes, *note_stops(stops, missing, limits)]

        count_loads = 0

        @contextlib.contextmanager
        def loaded_anew() -> Iterator[dict[str, Any] | None]:
            nonlocal count_loads
            count_loads += 1
            if count_loads > MOST_LOADS or seconds_of_loading > LONGEST_TO_LOAD_ANEW:
                yield None
                return
            with _without_submitted_modules(loaded):
                again = load()
                # Code may ask for, or read, what it gets only once.
                is_as_before = _places(again) == _places(loaded)
                has_same_names = again.namespace.keys() == loaded.namespace.keys()
                yield again.namespace if is_as_before and has_same_names else None

        try:
            return judge(
                public,
                loaded.namespace,
                stops,
                notes=notes,
                around=running,
                live=live,
                code=code,
                loaded_anew=loaded_anew,
            )
        except (
            Exception
        ) as error:  # in one line: a traceback would blame the student's code
            message = f"{type(error).__name__}: {error}".rstrip(": ")
            trouble = f"{say(OUR_FAULT)} ({message[:LONGEST_FAULT]})"
            return broken(public, trouble, work.notes)
