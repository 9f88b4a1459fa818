"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator

from autograder.judging import explain_import
from autograder.sandbox import CellFailure, read_error
from autograder.student.answers import quiet
from autograder.student.find import Work
from autograder.student.homework import PublicHomework
from autograder.student.judge import Report, broken, judge
from autograder.worker import (
    INERT_PACKAGES,
    SUBMISSION_ROOT,
    InertFinder,
    SubmittedFiles,
    install_inert_modules,
    load_module,
    load_notebook,
)

OUR_FAULT = "A check itself is broken, which is no fault of yours: please tell the course's staff."


def check_work(public: PublicHomework, work: Work) -> Report:
    """Load the code that was found and run the public checks on what it defines."""
    code = work.code
    if code is None:
        return broken(public, work.trouble)
    with _isolated():
        if code.mentions("random"):
            importlib.import_module("numpy.random")  # NumPy loads it late, and then it would miss the seed
        with quiet():
            if code.cells is None:
                loaded = load_module(dict(code.files), code.entry)
            else:
                loaded = load_notebook(dict(code.files), [dict(vars(cell)) for cell in code.cells])
        if loaded.error is not None:
            error = read_error(loaded.error)
            trouble = explain_import(error, code.entry, public.homework.limits, error).student
            return broken(public, trouble, work.notes)
        failed = [CellFailure(int(str(one["cell"])), read_error(one)) for one in loaded.failed_cells]
        try:
            return judge(public, loaded.namespace, failed, notes=work.notes)
        except Exception as error:  # in one line: a traceback would blame the student's code
            kind = f"{type(error).__name__}: {error}".rstrip(": ")
            return broken(public, f"{OUR_FAULT} ({kind[:200]})", work.notes)


@contextlib.contextmanager
def _isolated() -> Iterator[None]:
    """Let code be loaded as a worker loads it, and put this process back in order afterwards."""
    modules, finders = dict(sys.modules), list(sys.meta_path)
    drawing = [name for name in modules if name.partition(".")[0] in INERT_PACKAGES]
    for name in drawing:
        del sys.modules[name]  # half of a real matplotlib beside half of a stand-in fails in strange ways
    install_inert_modules()
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name, module in list(sys.modules.items()):
            if module is modules.get(name):
                continue
            loader = getattr(getattr(module, "__spec__", None), "loader", None)
            is_entry = str(getattr(module, "__file__", None) or "").startswith(SUBMISSION_ROOT)
            if is_entry or isinstance(loader, SubmittedFiles | InertFinder):
                del sys.modules[name]
        sys.modules.update({name: modules[name] for name in ("__main__", *drawing)})
