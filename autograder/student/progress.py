"""How far a student is in the course: a row for each homework in a folder, and what comes next."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from autograder.course.homework import by_number
from autograder.language import ENGLISH, say, speaking
from autograder.student.bootstrap import ReleaseError
from autograder.student.course_map import redraw
from autograder.student.find import find_work
from autograder.student.homework import PublicHomework, open_homework
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.load import check_work
from autograder.student.table import MARKS, Style, cut, style_of, worst
from autograder.verdict.checks import Outcome

NARROWEST = 60
WIDEST = 90


def main(top: Path, arguments: Sequence[str] = ()) -> int:
    """Print the table of the homeworks in a folder, or check the one that is named; return the exit status.

    0: every public check passes; 1: some do not; 2: the command cannot be carried out.
    """
    style = style_of(sys.stdout, shutil.get_terminal_size().columns)
    released = {path.parent for path in top.glob("*/public_checks.py*")}
    folders = sorted(released, key=lambda folder: by_number(folder.name))
    if not arguments:
        all_pass = show(folders, {}, style, lambda line: print(line, flush=True))
        return 0 if all_pass else 1
    beginning, *others = arguments
    chosen = []
    for folder in folders:
        if folder.name.startswith(beginning):
            chosen.append(folder)
    if len(chosen) == 1:
        from autograder.student.command import main as check_homework

        return check_homework(chosen[0], others)
    names = ", ".join(folder.name for folder in folders)
    print(style.fit(say("error: name one of {names}", names=names)), file=sys.stderr)
    return 2


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
    reports: dict[Path, tuple[PublicHomework, Report]] = {}
    language = ENGLISH  # until a homework says which one
    for folder in folders:
        try:
            public = open_homework(folder)
            report = known.get(folder) or check_work(public, find_work(public, folder))
        except ReleaseError:
            name = f"{cut(folder.name, room):{room}}"
            write(style.fit("  " + say("{name} incomplete: unzip it again", name=name)))
            continue
        reports[folder] = (public, report)
        language = public.language
        title = cut(f"{_short(folder)}  {report.title}", room)
        with speaking(language):
            write(_row(f"{title:{room}}", report, style))
    write("")
    with speaking(language):
        for line in _next_steps(folders, reports, width):
            write(style.fit(line))
    if folders:
        passed = []
        checked = []
        for public, report in reports.values():
            checked.append(public.homework.id)
            if report.passed:
                passed.append(public.homework.id)
        with speaking(language):
            change = redraw(folders[0].parent, passed, checked)
        if change:
            write(style.fit(change))
    if len(reports) < len(folders):
        return False
    return all(report.passed for _, report in reports.values())


def is_begun(report: Report) -> bool:
    """Return whether any of the tasks was worked on."""
    return any(check.reason != NOT_WRITTEN for check in report.results)


def _row(name: str, report: Report, style: Style) -> str:
    """Return a homework's marks, one for each task, its points and its state."""
    outcomes = list(_outcomes(report).values())
    passed = outcomes.count(Outcome.PASSED)
    state = say("{passed} of {count} tasks", passed=passed, count=len(outcomes))
    colour = "bold"
    if report.passed:
        state = say("all green")
        colour = "green"
    elif report.trouble:
        state = say("does not run yet")
    elif not is_begun(report):
        state = say("not started")
        colour = "dim"
    marks = ""
    for outcome in outcomes:
        mark, mark_colour = MARKS[outcome]
        marks += style.paint(style.fit(mark), mark_colour)
    marks += " " * max(0, 6 - len(outcomes))
    points = f"{report.earned:g}/{report.points:g}"
    return f"  {style.fit(name)} {marks} {points:>8}  {style.paint(state, colour)}"


def _outcomes(report: Report) -> dict[str, Outcome]:
    """Return for each task whether it passed, is wrong, or is neither yet."""
    outcomes = {}
    for task, checks in groupby(report.results, key=lambda check: check.task):
        outcomes[task] = worst(list(checks))
    return outcomes


def _next_steps(
    folders: Sequence[Path],
    reports: Mapping[Path, tuple[PublicHomework, Report]],
    width: int,
) -> Iterator[str]:
    """Say what comes next: the first homework to work on, or further reading when all are green.

    One that is begun comes before those that are not.
    """
    # What to work on.
    unfinished = []
    begun = []
    for folder, (_, report) in reports.items():
        if not report.passed:
            unfinished.append(folder)
            if is_begun(report):
                begun.append(folder)
    if unfinished:
        folder, *_ = begun or unfinished
        _, report = reports[folder]
        yield from textwrap.wrap(
            say(
                "Next: {homework}{left}",
                homework=_short(folder),
                left=_left_to_do(report),
            ),
            width,
            max_lines=3,
            placeholder=" …",
            subsequent_indent=" " * 6,
        )
        name = folder.name
        if " " in name:
            name = f'"{name}"'
        yield "      " + say("cd {name}, then pytest", name=name)
    elif reports and len(reports) == len(folders):
        *_, (public, _) = reports.values()
        yield say("All green. {celebration}", celebration=public.homework.celebration)
        yield say(
            "Hand in what is not handed in yet: python check.py --pack in its folder."
        )
        yield from textwrap.wrap(public.reading, width, break_on_hyphens=False)

    # Theory questions, and homeworks that are elsewhere.
    counts = []
    for folder, (_, report) in reports.items():
        if report.questions:
            count, _, _ = report.questions.partition(f" {say('questions')}")
            counts.append(f"{_short(folder)} {count}")
    if counts:
        text = say("Theory questions answered: {counts}.", counts=", ".join(counts))
        yield from textwrap.wrap(text, width)
    missing = _not_here(folders, [public for public, _ in reports.values()])
    if missing:
        yield from textwrap.wrap(
            say("Not here: {missing}.", missing=", ".join(missing)), width
        )


def _left_to_do(report: Report) -> str:
    """Say which tasks of a homework are not right yet, or why it does not run."""
    if report.trouble:
        return f": {report.trouble}"
    tasks = []
    for task, outcome in _outcomes(report).items():
        if outcome is not Outcome.PASSED:
            tasks.append(task)
    count = say("{count} tasks", count=len(tasks))
    if len(tasks) == 1:
        count = say("1 task")
    return say(", {count} left: {tasks}", count=count, tasks=", ".join(tasks))


def _not_here(
    folders: Sequence[Path], homeworks: Sequence[PublicHomework]
) -> list[str]:
    """Return the homeworks of the course that are in no folder here."""
    ids: set[str] = set()
    for public in homeworks:
        ids.update(public.course)
    ids -= {public.homework.id for public in homeworks}
    ids -= {folder.name for folder in folders}
    missing = []
    for homework_id in sorted(ids, key=by_number):
        if not (folders[0].parent / homework_id).exists():
            missing.append(homework_id)
    return missing


def _short(folder: Path) -> str:
    """``hw3`` of ``hw3_scaled_dot_product_attention``."""
    return folder.name.partition("_")[0]
