"""Load the student's code in this process as a worker loads it, and run the public checks on it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.judging import explain_error
from autograder.sandbox import CellFailure, Code, read_error
from autograder.student.answers import quiet
from autograder.student.find import find_work
from autograder.student.homework import PublicHomework
from autograder.student.judge import Report, broken, judge
from autograder.worker import (
    INERT_PACKAGES,
    SUBMISSION_ROOT,
    InertFinder,
    Loaded,
    SubmittedFiles,
    install_inert_modules,
    load_module,
    load_notebook,
)

OUR_FAULT = "A check itself is broken, which is no fault of yours: please tell the course's staff."


def check_folder(public: PublicHomework, folder: Path, chosen: str | None = None) -> Report:
    """Run the public checks on what lies in a homework's folder."""
    work = find_work(public, folder, chosen)
    if work.code is None:
        return broken(public, work.trouble)
    return check_code(public, work.code, work.notes)


def check_code(public: PublicHomework, code: Code, notes: tuple[str, ...] = ()) -> Report:
    """Load code and run the public checks on what it defines."""
    with isolated():
        if code.mentions("random"):
            importlib.import_module("numpy.random")  # NumPy loads it late, and then it would miss the seed
        loaded = _load(code)
        if loaded.error is not None:
            return broken(public, _import_trouble(code.entry, loaded.error), notes)
        failed = [_cell_failure(one) for one in loaded.failed_cells]
        return _judged(public, loaded.namespace, failed, notes)


def _judged(
    public: PublicHomework, namespace: dict[str, Any], failed: list[CellFailure], notes: tuple[str, ...]
) -> Report:
    """Report a broken check in one line; a traceback would blame the student's code."""
    try:
        return judge(public, namespace, failed, notes=notes)
    except Exception as error:
        kind = f"{type(error).__name__}: {error}".rstrip(": ")
        return broken(public, f"{OUR_FAULT} ({kind[:200]})", notes)


@contextlib.contextmanager
def isolated() -> Iterator[None]:
    """Let code be loaded as a worker loads it, and put this process back in order afterwards."""
    modules, finders = dict(sys.modules), list(sys.meta_path)
    for name in _drawing(modules):
        del sys.modules[name]  # half of a real matplotlib beside half of a stand-in fails in strange ways
    install_inert_modules()
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name, module in list(sys.modules.items()):
            if module is not modules.get(name) and _is_borrowed(module):
                del sys.modules[name]
        sys.modules.update({name: modules[name] for name in ("__main__", *_drawing(modules))})


def _drawing(modules: Mapping[str, object]) -> list[str]:
    return [name for name in modules if name.partition(".")[0] in INERT_PACKAGES]


def _is_borrowed(module: Any) -> bool:
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    is_entry = str(getattr(module, "__file__", None) or "").startswith(SUBMISSION_ROOT)
    return is_entry or isinstance(loader, SubmittedFiles | InertFinder)


def _load(code: Code) -> Loaded:
    with quiet():
        if code.cells is None:
            return load_module(dict(code.files), code.entry)
        return load_notebook(dict(code.files), [dict(vars(cell)) for cell in code.cells])


def _import_trouble(entry: str, error: dict[str, object]) -> str:
    finding = explain_error(read_error(error), f"Importing `{entry}`")
    message = " ".join(str(error["message"]).split())[:200]
    return f"{finding.student} ({message})" if message else finding.student


def _cell_failure(failure: dict[str, Any]) -> CellFailure:
    return CellFailure(int(failure["cell"]), read_error(failure))
