"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator

from autograder.judging import explain_import, note_stops
from autograder.sandbox import read_stop
from autograder.student.answers import quiet
from autograder.student.find import Work, is_as_handed_out
from autograder.student.homework import PublicHomework
from autograder.student.judge import Report, broken, judge, unwritten
from autograder.worker import (
    INERT_PACKAGES,
    SUBMISSION_ROOT,
    InertFinder,
    ScratchFolder,
    SubmittedFiles,
    install_inert_modules,
    load_code,
)

OUR_FAULT = "A check itself is broken, which is no fault of yours: please tell the course's staff."


def check_work(public: PublicHomework, work: Work) -> Report:
    """Load the code that was found and run the public checks on what it defines.

    Files as they were handed out are not loaded, which might import PyTorch for nothing.
    """
    code = work.code
    if code is None:
        return broken(public, work.trouble)
    if is_as_handed_out(public, work):
        return unwritten(public)
    with _isolated(code.entry):
        if code.mentions("random"):
            importlib.import_module("numpy.random")  # NumPy loads it late, and then it would miss the seed
        cells = None if code.cells is None else [dict(vars(cell)) for cell in code.cells]
        scratch = ScratchFolder(code.files)
        with quiet(), scratch.in_use():
            limits = public.homework.limits
            loaded = load_code(dict(code.files), code.entry, cells, *limits.loading)
        stops = [read_stop(one) for one in loaded.stops]
        names = {task.name: {task.name, task.value} for task in public.homework.tasks}
        missing = [name for name, either in names.items() if not either & loaded.namespace.keys()]
        if cells is None and stops and len(missing) == len(names):
            first = stops[0].error
            return broken(public, explain_import(first, code.entry, limits, first).student, work.notes)
        notes = [*work.notes, *note_stops(stops, missing, limits)]
        try:
            return judge(public, loaded.namespace, stops, notes=notes, around=scratch.in_use)
        except Exception as error:  # in one line: a traceback would blame the student's code
            kind = f"{type(error).__name__}: {error}".rstrip(": ")
            return broken(public, f"{OUR_FAULT} ({kind[:200]})", work.notes)


@contextlib.contextmanager
def _isolated(entry: str) -> Iterator[None]:
    """Let code be loaded as a worker loads it, and put this process back in order afterwards."""
    modules, finders, arguments = dict(sys.modules), list(sys.meta_path), sys.argv
    sys.argv = [entry]
    drawing = [name for name in modules if name.partition(".")[0] in INERT_PACKAGES]
    for name in drawing:
        del sys.modules[name]  # half of a real matplotlib beside half of a stand-in fails in strange ways
    install_inert_modules()
    try:
        yield
    finally:
        sys.argv = arguments
        sys.meta_path[:] = finders
        for name, module in list(sys.modules.items()):
            if module is modules.get(name):
                continue
            loader = getattr(getattr(module, "__spec__", None), "loader", None)
            is_entry = str(getattr(module, "__file__", None) or "").startswith(SUBMISSION_ROOT)
            if is_entry or isinstance(loader, SubmittedFiles | InertFinder):
                del sys.modules[name]
        sys.modules.update({name: modules[name] for name in ("__main__", *drawing)})
