"""Live progress of long work on a terminal, plain lines elsewhere, and the closing table of a batch."""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from rich import progress as bars
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.authoring import SeedRun
from autograder.cli.console import err, out
from autograder.judging import SubmissionResult
from autograder.records import points_of, short_name
from autograder.sandbox import Status, escaped

EVERY = 100
"""Off a terminal, a line of progress follows every so many submissions."""
SEED_LINES = 20
"""At most so many plain lines are printed by an audit over many seeds."""
MOST_ROWS = 100
COLOURS = {Status.GRADED: "green", Status.NOT_SUBMITTED: "yellow", Status.INFRASTRUCTURE_ERROR: "bold red"}


class Bar:
    """A title, a bar, a count and further columns; a context manager that is silent off a terminal."""

    def __init__(self, console: Console, title: str, *columns: bars.ProgressColumn) -> None:
        self._bar = bars.Progress(
            bars.TextColumn(title),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            *columns,
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bar.stop()


class _Rate(bars.ProgressColumn):
    """Submissions per second; nothing before the first ones are done."""

    def render(self, task: bars.Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f}/s" if speed else "")


class Progress(Bar):
    """One line per submission; below them a bar with rate, remaining time and counts by status.

    Off a terminal, plain lines say the same from time to time.
    """

    def __init__(self, total: int) -> None:
        super().__init__(
            err, "grading", _Rate(), bars.TimeRemainingColumn(), bars.TextColumn("{task.fields[counts]}")
        )
        self._task = self._bar.add_task("grading", total=total, counts="")
        self._total = total
        self._started = time.monotonic()
        self._counts: Counter[Status] = Counter()

    def advance(self, result: SubmissionResult) -> None:
        """Show one more result, and what a TA should know at once: problems of reading, our own failures."""
        self._counts[result.status] += 1
        show = functools.partial(self._bar.console.print, soft_wrap=True)
        parts = [f"{points_of(one.earned)}/{one.points:g} {one.homework}" for one in result.homeworks]
        name, status = f"{escaped(result.name):<24} ", f"{result.status:<21}"
        show(Text.assemble((name, "bold"), (status, _colour(result)), "  ".join(parts)))
        faults = [result.fault, *(one.detail for one in result.homeworks if one.status.is_our_fault)]
        ends = [fault.strip().splitlines()[-1] for fault in faults if fault.strip()]
        for line in (*(problem.staff for problem in result.problems), *ends):
            show(Text(f"    {line}", "yellow"))
        counted, done = _counted(self._counts), self._counts.total()
        self._bar.update(self._task, advance=1, counts=counted)
        if not self._bar.console.is_terminal and done % EVERY == 0:
            rate = done / max(time.monotonic() - self._started, 1e-9)
            left = "" if done == self._total else f", about {(self._total - done) / rate:.0f} s left"
            show(f"{done} of {self._total} done, {rate:.1f}/s{left}: {counted}")


def _counted(counts: Counter[Status]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


def _colour(result: SubmissionResult) -> str:
    return COLOURS.get(result.status, "red")


class SeedProgress(Bar):
    """Counts the draws that are done, one per seed and homework, and the correct answers that failed."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._failures = total, 0, 0
        super().__init__(
            err, "fresh inputs", bars.TimeRemainingColumn(), bars.TextColumn("{task.description}")
        )
        self._task = self._bar.add_task("", total=total)

    def advance(self, run: SeedRun) -> None:
        """Count one more run."""
        before, self._done = self._done, self._done + run.seeds
        self._failures += len(run.false_failures)
        failures = f"{self._failures} false failures"
        self._bar.update(self._task, advance=run.seeds, description=failures)
        lines = [done * SEED_LINES // max(self._total, 1) for done in (before, self._done)]
        if not err.is_terminal and lines[1] > lines[0]:
            err.print(f"fresh inputs: {self._done} of {self._total} draws, {failures}", soft_wrap=True)


def closing_table(results: Iterable[SubmissionResult], homeworks: Sequence[str]) -> None:
    """Print one row per submission, and the counts by status.

    A terminal holds no table of a thousand rows: of a large class only the submissions without a regular
    grade are listed, and the rest is counted.
    """
    counts: Counter[Status] = Counter()
    first: list[SubmissionResult] = []
    odd: list[SubmissionResult] = []
    for result in results:
        counts[result.status] += 1
        if len(first) < MOST_ROWS:
            first.append(result)
        if result.status is not Status.GRADED and len(odd) < MOST_ROWS:
            odd.append(result)
    rows = first if counts.total() <= MOST_ROWS else odd
    if rows:
        out.print(_table(rows, homeworks))
    if len(rows) < counts.total():
        out.print(f"{counts.total() - len(rows)} more are in the files below.")
    out.print(_counted(counts))


def _table(results: Sequence[SubmissionResult], homeworks: Sequence[str]) -> Table:
    table = Table(header_style="bold", row_styles=["", "dim"] if out.is_terminal else None)
    table.add_column("submission", overflow="fold")
    table.add_column("status")
    used = [homework for homework in homeworks if any(result.homework(homework) for result in results)]
    for title in (*map(short_name, used), "total"):
        table.add_column(title, justify="right")
    for result in results:
        found = (result.homework(homework) for homework in used)
        points = ("" if one is None else points_of(one.earned) for one in found)
        status = Text(str(result.status), _colour(result))
        table.add_row(Text(escaped(result.name)), status, *points, points_of(result.earned))
    return table
