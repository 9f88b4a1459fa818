"""``python check.py``: the table without pytest, watch mode, and the zip to hand in."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.intake.naming import SOURCE_ENDINGS
from autograder.language import speaking
from autograder.student.bootstrap import ReleaseError
from autograder.student.find import find_work, unknown_task
from autograder.student.homework import open_homework
from autograder.student.judge import unless_asked
from autograder.student.load import check_work
from autograder.student.table import render, style_of

RIGHT = 0
WRONG = 1
USAGE = 2
INTERRUPTED = 130


def main(folder: Path, arguments: Sequence[str] | None = None) -> int:
    """Run the command for the homework in a folder; return the exit status.

    0: every public check passes; 1: some do not; 2: the command cannot be carried out; 130: Ctrl-C.
    """
    parser = argparse.ArgumentParser(
        prog="check.py",
        description="Run the public checks of this homework on your file.",
        epilog="Exit status: 0 every public check passes, 1 some do not, 2 it could not run.",
    )
    words = "a task, to check only that, or the file to check (default: your .py, or your notebook)"
    parser.add_argument("words", nargs="*", metavar="TASK|FILE", help=words)
    parser.add_argument(
        "--all", action="store_true", help="show what is wrong with every task"
    )
    parser.add_argument(
        "--watch", action="store_true", help="check again after each save"
    )
    parser.add_argument(
        "--pack", action="store_true", help="check, then build the zip to hand in"
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="check, then draw the notebook's pictures with your .py and open them",
    )
    words = (
        "give each call so many times the time that grading gives, on a busy machine"
    )
    parser.add_argument(
        "--time", type=_more_time, default=1.0, metavar="TIMES", help=words
    )
    words = "also print GitHub Actions annotations (automatic in a workflow)"
    runs_there = os.environ.get("GITHUB_ACTIONS") == "true"
    parser.add_argument("--github", action="store_true", default=runs_there, help=words)
    options = parser.parse_args(arguments)
    style = style_of(sys.stdout, shutil.get_terminal_size().columns)
    try:
        public = open_homework(folder)
        files = []
        tasks = []
        for word in options.words:
            if (folder / word).is_file() or word.endswith(SOURCE_ENDINGS):
                files.append(word)
            elif word in public.tasks:
                tasks.append(word)
            else:
                parser.error(style.fit(unknown_task(word, public.tasks)))
        if len(files) > 1:
            parser.error("name one file")
        chosen = files[0] if files else None
        checks = set()
        for check in public.checks:
            if not tasks or check.task in tasks:
                checks.add(check.name)
        if options.watch:
            from autograder.student.watch import watch

            with speaking(public.language):
                return watch(folder, chosen, checks, style, options.all)
        work = find_work(public, folder, chosen)
        is_live = work.stops_to_look and sys.stdin.isatty() and sys.stdout.isatty()
        report = check_work(public, work, is_live, options.time)
        if not options.all:
            report = unless_asked(public, report)
        chosen_report = report.only(checks)
        print(render(chosen_report, style, options.all))
        if options.github:
            from autograder.student.github import tell

            tell(chosen_report, folder, work.origin, style)
        if options.pack:
            from autograder.student.pack import pack

            for line in pack(public, folder, work, report):
                print(style.fit(line))
        if options.show:
            from autograder.student.show import show

            for line in show(public, folder, work):
                print(style.fit(line))
        return RIGHT if chosen_report.passed else WRONG
    except ReleaseError as error:
        print(style.fit(f"error: {error}"), file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED


def _more_time(text: str) -> float:
    """Read by how much time limits are multiplied: a number from 1 to 100."""
    try:
        times = float(text)
    except ValueError:
        times = 0
    if not 1 <= times <= 100:
        raise argparse.ArgumentTypeError("give a number from 1 to 100, such as 4")
    return times
