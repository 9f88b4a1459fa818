"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib
from dataclasses import replace

from autograder.reasons.errors import explain_import, note_stops
from autograder.sandbox.report import read_stop
from autograder.sandbox.request import Code
from autograder.student.answers import end_where_left, quiet
from autograder.student.find import Work
from autograder.student.homework import PublicHomework
from autograder.student.judge import (
    LONGEST_FAULT,
    OUR_FAULT,
    Report,
    broken,
    judge,
    unwritten,
)
from autograder.student.surroundings import surroundings
from autograder.worker.load import load_code
from autograder.worker.runner import reset

A_DAY = 86400.0


def check_work(public: PublicHomework, work: Work, live: bool = False) -> Report:
    """Load the code that was found and run the public checks on what it defines.

    With ``live``, the code has this process's screen and keyboard, and all the time that a debugger takes.
    A file as it was handed out is not loaded, which might import PyTorch for nothing.
    """
    if work.code is None:
        return broken(public, work.trouble)
    if work.is_untouched:
        return unwritten(public)
    if live:
        limits = replace(
            public.homework.limits, seconds=A_DAY, call_seconds=A_DAY, cpu_seconds=A_DAY
        )
        public = replace(public, homework=replace(public.homework, limits=limits))
    return _check(public, work, work.code, live)


def _check(public: PublicHomework, work: Work, code: Code, live: bool) -> Report:
    homework, limits = public.homework, public.homework.limits
    if homework.library == "torch" and code.mentions("torch"):
        with contextlib.suppress(
            ImportError
        ):  # where it is missing, the student's own line says so
            importlib.import_module(
                "torch"
            )  # as a worker has it: that takes none of the student's time
    with surroundings(code, homework) as running:
        if code.mentions("random"):
            importlib.import_module(
                "numpy.random"
            )  # NumPy loads it late, and then it would miss the seed
        cells = (
            None if code.cells is None else [dict(vars(cell)) for cell in code.cells]
        )
        with quiet(live), running():
            reset()
            loaded = load_code(dict(code.files), code.entry, cells, limits.loading)
        stops = [read_stop(one) for one in loaded.stops]
        if live:
            end_where_left(one.error for one in stops)
        names = {task.name: {task.name, task.value} for task in homework.tasks}
        missing = [
            name
            for name, either in names.items()
            if not either & loaded.namespace.keys()
        ]
        asked = set().union(*names.values(), public.course[homework.id]["left_behind"])
        if cells is None and stops and asked.isdisjoint(loaded.namespace):
            first = stops[0].error
            return broken(
                public,
                explain_import(first, code.entry, limits, first).student,
                work.notes,
            )
        notes = [*work.notes, *note_stops(stops, missing, limits)]
        try:
            return judge(
                public,
                loaded.namespace,
                stops,
                notes=notes,
                around=running,
                live=live,
                code=code,
            )
        except (
            Exception
        ) as error:  # in one line: a traceback would blame the student's code
            kind = f"{type(error).__name__}: {error}".rstrip(": ")
            return broken(public, f"{OUR_FAULT} ({kind[:LONGEST_FAULT]})", work.notes)
