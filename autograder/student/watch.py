"""Watch mode: save the file, see the table change."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from autograder.student.find import own_files

MISSING = "watching needs the package watchfiles: pip install watchfiles, then python check.py --watch again"


def watch(folder: Path, show: Callable[[], object]) -> str:
    """Show the table now and after each change of a student's file, until Ctrl-C.

    Returns what to tell the student at the end; the missing package is told at once.
    """
    try:
        watchfiles = importlib.import_module("watchfiles")
    except ModuleNotFoundError:
        return MISSING
    show()
    wanted = lambda change, path: Path(path).name in own_files(folder)  # noqa: E731
    for _ in watchfiles.watch(folder, watch_filter=wanted, recursive=False, raise_interrupt=False):
        show()
    return "stopped watching"
