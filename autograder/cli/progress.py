"""Live progress of long work on a terminal, plain lines elsewhere, and the closing table of a batch."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rich import progress as bars
from rich.text import Text

from autograder.cli.console import MOST_LINES, err, note, out, say, show_first, table_of
from autograder.course.course import Course
from autograder.course.homework import by_number
from autograder.feedback.pages import points_of, short_name
from autograder.gradebook.book import Gradebook
from autograder.intake.submission import Entry
from autograder.report.exports import GradeRow, publish
from autograder.sandbox.report import Status, escaped
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import SubmissionResult

if TYPE_CHECKING:
    from autograder.authoring.audit_seeds import SeedRun

EVERY = 100
"""Off a terminal, a line of progress follows every so many submissions."""
SEED_LINES = 20
"""At most so many plain lines are printed by an audit over many seeds."""
NAME = 24
"""The width of a name, in cells: on a terminal longer ones are cut, and on a narrow one more so."""
COLOURS = {
    Status.GRADED: "green",
    Status.NOT_SUBMITTED: "yellow",
    Status.INFRASTRUCTURE_ERROR: "bold red",
}


class _Rate(bars.ProgressColumn):
    """So many per second, once it is known."""

    def render(self, task: bars.Task) -> str:
        return f"{task.speed:.1f}/s" if task.speed else ""


class Bar:
    """What is being done, a bar, a count, rate, time left, news; silent off a terminal. A context manager."""

    def __init__(self, doing: str, total: int) -> None:
        self._bar = bars.Progress(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(
                max(4, err.width - 60)
            ),  # so that ^C has room on the line, and goes with it
            bars.MofNCompleteColumn(),
            _Rate(),
            bars.TimeRemainingColumn(),
            bars.TextColumn("{task.fields[news]}"),
            console=err,
            transient=True,
            disable=not err.is_interactive,
        )
        self._task = self._bar.add_task(doing, total=total, news="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bar.stop()


class GradingProgress(Bar):
    """A bar with rate and number of problems; above it a line for each submission that has a problem.

    Off a terminal, or when asked to be verbose, every submission has its line.
    """

    def __init__(self, total: int, workers: int, verbose: bool = False) -> None:
        starting = f"starting {workers} worker{'s' * (workers != 1)}"
        super().__init__(starting, total)
        self._total, self._verbose, self._problems = total, verbose, 0
        self._counts: Counter[Status] = Counter()

    def advance(self, result: SubmissionResult) -> None:
        """Show one more result, and what a TA should know at once: problems of reading, our own failures."""
        self._counts[result.status] += 1
        is_problem = result.status is not Status.GRADED or bool(result.problems)
        self._problems += is_problem
        if is_problem or self._verbose or not err.is_interactive:
            _show(result)
        problems = (
            f"{self._problems} with problems"
            if self._problems and err.width >= 60
            else ""
        )
        self._bar.update(self._task, advance=1, description="grading", news=problems)
        done, [task] = self._counts.total(), self._bar.tasks
        if not err.is_interactive and done % EVERY == 0 and task.speed:
            left = (
                f", about {task.time_remaining:.0f} s left"
                if task.time_remaining
                else ""
            )
            say(
                f"{done} of {self._total} done, {task.speed:.1f}/s{left}: {_counted(self._counts)}",
                err,
            )


def _show(result: SubmissionResult) -> None:
    """Print name, status and points on one line, cut to fit a terminal, and what is wrong below it."""
    name, live = Text(escaped(result.name), "bold"), err.is_interactive
    room = min(NAME, max(8, err.width - 50)) if live else max(NAME, name.cell_len)
    name.truncate(room, overflow="ellipsis", pad=True)
    parts = [
        f"{points_of(one.earned)}/{one.points:g} {short_name(one.homework)}"
        for one in result.homeworks
    ]
    status = (f"{result.status:<21}", COLOURS.get(result.status, "red"))
    line = Text.assemble(name, " ", status, "  ".join(parts))
    err.print(line, no_wrap=True, overflow="ellipsis" if live else "ignore", crop=live)
    for text in (*(problem.staff for problem in result.problems), *_our_faults(result)):
        say(Text(escaped(text), "yellow"), err, indent=4)


def _our_faults(result: SubmissionResult) -> Iterator[str]:
    """Yield what failed on our side: each check that raised with exception and line, or what ended it all."""
    if result.fault.strip():
        yield result.fault.strip().splitlines()[-1]  # of a traceback, the exception
    for homework in result.homeworks:
        if homework.not_judged:
            yield from (check.fault for check in homework.not_judged if check.fault)
        elif homework.status.is_our_fault and homework.detail.strip():
            yield homework.detail.strip().splitlines()[-1]


def _counted(counts: Counter[Status]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in counts.most_common())


def reading(entries: Sequence[Entry]) -> Iterable[Entry]:
    """Pass the entries on one by one, and show how many of them have been read."""
    doing = f"reading {len(entries):,} submission{'s' * (len(entries) != 1)}"
    if len(entries) >= EVERY and not err.is_interactive:
        say(doing, err)
    return bars.track(
        entries, doing, console=err, transient=True, disable=not err.is_interactive
    )


class SeedProgress(Bar):
    """Counts the draws that are done, one per seed and homework, and the correct answers that failed."""

    def __init__(self, total: int) -> None:
        super().__init__("fresh inputs", total)
        self._total, self._done, self._failures = total, 0, 0

    def advance(self, run: SeedRun) -> None:
        """Count one more run."""
        before, self._done = self._done, self._done + run.seeds
        self._failures += len(run.false_failures)
        failures = f"false failures: {self._failures}"
        self._bar.update(self._task, advance=run.seeds, news=failures)
        lines = [
            done * SEED_LINES // max(self._total, 1) for done in (before, self._done)
        ]
        if not err.is_interactive and lines[1] > lines[0]:
            say(f"fresh inputs: {self._done} of {self._total} draws, {failures}", err)


def published(book: Gradebook, course: Course, folder: Path) -> list[GradeRow]:
    """Write every file that shows the grades, and return what counts; of a large class it takes a while.

    An explanation on a page that cannot be made costs itself alone; a note says which.
    """
    with err.status("writing grades, report and pages"), recording_faults() as faults:
        grades = publish(book, course, folder, note)
    note_faults(faults, "left out of the pages")
    return grades


def note_faults(faults: Sequence[str], where: str) -> None:
    """Say in one note how many explanations failed, and the first of them; no points depend on these."""
    if faults:
        many = f"{len(faults):,} explanations" if len(faults) > 1 else "an explanation"
        note(
            f"{many} could not be made and {where}; no points depend on it. First: {faults[0]}"
        )


def closing_table(
    grades: Sequence[GradeRow], statuses: Counter[Status] | None = None
) -> None:
    """Print a row per submission, mean and median per homework, and the counts by status.

    Of a large class only the submissions without a regular grade have a row. ``statuses`` are those of
    the last grading alone, where a submission may have other homeworks from before.
    """
    used = sorted(
        {homework for one in grades for homework in one.points}, key=by_number
    )
    regular = Status.GRADED if len(grades) > MOST_LINES else None
    shown = [one for one in grades if one.status is not regular]
    cut: dict[str, Any] = (
        {"no_wrap": True, "overflow": "ellipsis"} if out.is_interactive else {}
    )
    cells: Iterable[list[str | Text]] = (
        [
            Text(escaped(row.name), **cut),
            Text(row.status, COLOURS.get(row.status, "red"), **cut),
            *(
                points_of(row.points[one][0]) if one in row.points else ""
                for one in used
            ),
            points_of(row.earned),
        ]
        for row in shown
    )
    table = table_of(("submission", "status"), (*map(short_name, used), "total"))
    show_first(table, cells, "see the files below")
    summary = table_of(("homework",), ("submissions", "mean", "median", "max"))
    for name in used:
        given = [one.points[name] for one in grades if name in one.points]
        found = [earned for earned, _ in given if earned is not None]
        middle = (
            (f"{statistics.mean(found):.1f}", f"{statistics.median(found):g}")
            if found
            else ("–", "–")
        )
        summary.add_row(
            short_name(name),
            f"{len(found):,}",
            *middle,
            f"{max(most for _, most in given):g}",
        )
    if used and len(grades) > 1:
        out.print("", summary, "", sep="\n")
    say(_counted(statuses or Counter(one.status for one in grades)), out)
