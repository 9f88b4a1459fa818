"""``python check.py``: the table without pytest, watch mode, and the zip to hand in."""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.student.bootstrap import ReleaseError
from autograder.student.find import find_work, own_files
from autograder.student.homework import PublicHomework, open_homework
from autograder.student.load import check_work
from autograder.student.table import Style, render, style_of

CLEAR = "\033[2J\033[H"
RIGHT, WRONG, USAGE = 0, 1, 2
NO_WATCHFILES = (
    "watching needs the package watchfiles: pip install watchfiles, then python check.py --watch again"
)


def main(folder: Path, arguments: Sequence[str] | None = None) -> int:
    """Run the command for the homework in a folder; return the exit status.

    0: every public check passes; 1: some do not; 2: the command cannot be carried out.
    """
    parser = argparse.ArgumentParser(
        prog="check.py",
        description="Run the public checks of this homework on your file.",
        epilog="Exit status: 0 every public check passes, 1 some do not, 2 it could not run.",
    )
    parser.add_argument("file", nargs="?", help="the file to check (default: your .py, or your notebook)")
    parser.add_argument("--watch", action="store_true", help="check again after each save (needs watchfiles)")
    parser.add_argument("--pack", action="store_true", help="check, then build the zip to hand in")
    options = parser.parse_args(arguments)
    style = style_of(sys.stdout, shutil.get_terminal_size().columns)
    try:
        public = open_homework(folder)
        if options.watch:
            return _watch(public, folder, options.file, style)
        work = find_work(public, folder, options.file)
        report = check_work(public, work)
        print(render(report, style))
        if options.pack:
            if work.code is None:
                print(style.fit(f"\nNothing to pack: {work.trouble}"))
                return USAGE
            from autograder.student.pack import pack

            for line in pack(public, folder, work, work.code, report):
                print(style.fit(line))
        return RIGHT if report.passed else WRONG
    except ReleaseError as error:
        print(style.fit(f"error: {error}"), file=sys.stderr)
        return USAGE


def _watch(public: PublicHomework, folder: Path, chosen: str | None, style: Style) -> int:
    """Show the table now and after each change of a student's file, until Ctrl-C."""

    def show() -> None:
        report = check_work(public, find_work(public, folder, chosen))
        print((CLEAR if style.colour else "") + render(report, style), flush=True)

    try:
        watchfiles = importlib.import_module("watchfiles")
    except ModuleNotFoundError:
        print(style.fit(NO_WATCHFILES), file=sys.stderr)
        return USAGE
    show()
    wanted = lambda change, path: Path(path).name in own_files(folder)  # noqa: E731
    for _ in watchfiles.watch(folder, watch_filter=wanted, recursive=False, raise_interrupt=False):
        show()
    print(style.fit("stopped watching"), file=sys.stderr)
    return RIGHT
