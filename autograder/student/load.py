"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib

from autograder.judging import explain_import, note_stops
from autograder.sandbox import Code, read_stop
from autograder.student.answers import LEFT_BY_HAND, quiet
from autograder.student.find import Work, is_as_handed_out
from autograder.student.homework import PublicHomework
from autograder.student.judge import Report, broken, judge, unwritten
from autograder.student.surroundings import surroundings
from autograder.worker import load_code, reset

A_DAY = 86400.0
IN_TIME = compile(
    "run()",
    "it took longer than grading allows; the first line of /submission/ above is where it was: look there "
    "for a loop that does not end, or for something far too large",
    "exec",
)
"""A frame that tells, in a report of where the process was when it was ended, what that means."""
OUR_FAULT = "A check itself is broken, which is no fault of yours: please tell the course's staff."


def check_work(public: PublicHomework, work: Work, live: bool = False) -> Report:
    """Load the code that was found and run the public checks on what it defines.

    With ``live``, the code has this process's screen and keyboard, and all the time that a debugger takes.
    Files as they were handed out are not loaded, which might import PyTorch for nothing.
    """
    code = work.code
    if code is None:
        return broken(public, work.trouble)
    if is_as_handed_out(public, work):
        return unwritten(public)
    reports: list[Report] = []
    exec(IN_TIME, {"run": lambda: reports.append(_check(public, work, code, live))})
    return reports[0]


def _check(public: PublicHomework, work: Work, code: Code, live: bool) -> Report:
    if public.homework.library == "torch" and code.mentions("torch"):
        with contextlib.suppress(ImportError):  # where it is missing, the student's own line says so
            importlib.import_module("torch")  # as a worker has it: that takes none of the student's time
    with surroundings(code, public.homework, A_DAY if live else None) as running:
        if code.mentions("random"):
            importlib.import_module("numpy.random")  # NumPy loads it late, and then it would miss the seed
        cells = None if code.cells is None else [dict(vars(cell)) for cell in code.cells]
        limits = public.homework.limits
        with quiet(live), running():
            reset()
            loading = (A_DAY, A_DAY) if live else limits.loading
            loaded = load_code(dict(code.files), code.entry, cells, loading, public.homework.libraries)
        stops = [read_stop(one) for one in loaded.stops]
        if live and any(one.error.type in LEFT_BY_HAND for one in stops):
            raise KeyboardInterrupt
        names = {task.name: {task.name, task.value} for task in public.homework.tasks}
        missing = [name for name, either in names.items() if not either & loaded.namespace.keys()]
        asked = set().union(*names.values(), public.course[public.homework.id]["left_behind"])
        if cells is None and stops and asked.isdisjoint(loaded.namespace):
            first = stops[0].error
            return broken(public, explain_import(first, code.entry, limits, first).student, work.notes)
        notes = [*work.notes, *note_stops(stops, missing, limits)]
        try:
            return judge(public, loaded.namespace, stops, notes=notes, around=running, live=live, code=code)
        except Exception as error:  # in one line: a traceback would blame the student's code
            kind = f"{type(error).__name__}: {error}".rstrip(": ")
            return broken(public, f"{OUR_FAULT} ({kind[:200]})", work.notes)
