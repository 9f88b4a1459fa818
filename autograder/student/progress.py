"""How far a student is in the course: a row for each homework in a folder, and what comes next."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from autograder.course.homework import by_number
from autograder.student.bootstrap import ReleaseError
from autograder.student.find import find_work
from autograder.student.homework import CELEBRATION, PublicHomework, open_homework
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.load import check_work
from autograder.student.table import MARKS, Style, cut, style_of, worst
from autograder.verdict.checks import Outcome

NARROWEST, WIDEST = 60, 90


def main(top: Path, arguments: Sequence[str] = ()) -> int:
    """Print the table of the homeworks in a folder, or check the one that is named; return the exit status.

    0: every public check passes; 1: some do not; 2: the command cannot be carried out.
    """
    style = style_of(sys.stdout, shutil.get_terminal_size().columns)
    found = {path.parent for path in top.glob("*/public_checks.py*")}
    folders = sorted(found, key=lambda folder: by_number(folder.name))
    named = [one for one in folders if one.name.startswith(tuple(arguments[:1]))]
    if arguments and len(named) == 1:
        from autograder.student.command import main as check_one

        return check_one(named[0], arguments[1:])
    if arguments:
        print(
            style.fit(f"error: name one of {', '.join(one.name for one in folders)}"),
            file=sys.stderr,
        )
        return 2
    return 0 if show(folders, {}, style, lambda line: print(line, flush=True)) else 1


def show(
    folders: Sequence[Path],
    known: Mapping[Path, Report],
    style: Style,
    write: Callable[[str], object],
) -> bool:
    """Write a row for each homework as soon as it is checked, then what comes next; return whether all pass.

    ``known`` are the reports that there are already.
    """
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    room = width - 36
    write(style.paint(f"  {'homework':{room}} {'public points':>15}  state", "dim"))
    found: dict[Path, tuple[PublicHomework, Report]] = {}
    for folder in folders:
        try:
            public = open_homework(folder)
            report = known.get(folder) or check_work(public, find_work(public, folder))
        except ReleaseError:
            write(
                style.fit(
                    f"  {cut(folder.name, room):{room}} not whole: unzip it again"
                )
            )
            continue
        found[folder] = public, report
        write(
            _row(
                f"{cut(f'{_short(folder)}  {report.title}', room):{room}}",
                report,
                style,
            )
        )
    write("")
    for line in _next_steps(folders, found, width):
        write(style.fit(line))
    return len(found) == len(folders) and all(
        report.passed for _, report in found.values()
    )


def is_begun(report: Report) -> bool:
    """Whether any of the tasks was worked on."""
    return any(one.reason != NOT_WRITTEN for one in report.results)


def _row(name: str, report: Report, style: Style) -> str:
    tasks = _tasks(report)
    done = sum(outcome is Outcome.PASSED for outcome in tasks.values())
    state, colour = f"{done} of {len(tasks)} tasks", "bold"
    if report.passed:
        state, colour = "all green", "green"
    elif report.trouble:
        state = "does not run yet"
    elif not is_begun(report):
        state, colour = "not started", "dim"
    marks = "".join(
        style.paint(style.fit(MARKS[one][0]), MARKS[one][1]) for one in tasks.values()
    )
    points = f"{report.earned:g}/{report.points:g}"
    return f"  {style.fit(name)} {marks}{'':{max(0, 6 - len(tasks))}} {points:>8}  {style.paint(state, colour)}"


def _tasks(report: Report) -> dict[str, Outcome]:
    """What became of each task: passed, wrong, or neither yet."""
    return {
        task: worst(list(group))
        for task, group in groupby(report.results, lambda one: one.task)
    }


def _next_steps(
    folders: Sequence[Path],
    found: Mapping[Path, tuple[PublicHomework, Report]],
    width: int,
) -> Iterator[str]:
    """What to do next: the first homework that is not all green, or what there is to read when all are."""
    todo = next(
        (
            (folder, report)
            for folder, (_, report) in found.items()
            if not report.passed
        ),
        None,
    )
    if todo:
        folder, report = todo
        left = [
            task
            for task, outcome in _tasks(report).items()
            if outcome is not Outcome.PASSED
        ]
        tasks = f", {len(left)} task{'s' * (len(left) > 1)} left: {', '.join(left)}"
        said = f"Next: {_short(folder)}{f': {report.trouble}' if report.trouble else tasks}"
        yield from textwrap.wrap(
            said, width, max_lines=3, placeholder=" …", subsequent_indent=" " * 6
        )
        quoted = f'"{folder.name}"' if " " in folder.name else folder.name
        yield f"      cd {quoted}, then pytest"
    elif found and len(found) == len(folders):
        public, _ = list(found.values())[-1]
        yield f"All green. {CELEBRATION}"
        yield "Hand in what is not handed in yet: python check.py --pack in its folder."
        yield from textwrap.wrap(public.reading, width, break_on_hyphens=False)
    asked = [
        (_short(folder), report.questions)
        for folder, (_, report) in found.items()
        if report.questions
    ]
    if asked:
        counts = (f"{name} {said.partition(' questions')[0]}" for name, said in asked)
        yield from textwrap.wrap(
            f"Theory questions answered: {', '.join(counts)}.", width
        )
    ids = {one for public, _ in found.values() for one in public.course}
    gone = (
        ids
        - {public.homework.id for public, _ in found.values()}
        - {one.name for one in folders}
    )
    if missing := [
        one
        for one in sorted(gone, key=by_number)
        if not (folders[0].parent / one).exists()
    ]:
        yield from textwrap.wrap(f"Not here: {', '.join(missing)}.", width)


def _short(folder: Path) -> str:
    """``hw3`` of ``hw3_scaled_dot_product_attention``."""
    return folder.name.partition("_")[0]
