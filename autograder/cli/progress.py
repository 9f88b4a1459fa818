"""Live progress of long work on a terminal, plain lines elsewhere, and the closing table of a batch."""

from __future__ import annotations

import time
import types
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
from autograder.records import escaped, points_of, short_name
from autograder.sandbox import Status

EVERY = 100
"""Off a terminal, a line of progress follows each hundredth submission."""
SEED_LINES = 20
"""About how many plain lines a whole audit over many seeds prints."""
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
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
        """Show one more result."""
        self._counts[result.status] += 1
        self._bar.console.print(_line(result), soft_wrap=True)
        for line in _remarks(result):
            self._bar.console.print(Text(f"    {line}", "yellow"), soft_wrap=True)
        self._bar.update(self._task, advance=1, counts=_counted(self._counts))
        done = self._counts.total()
        if not self._bar.console.is_terminal and done % EVERY == 0:
            news = _news(done, self._total, time.monotonic() - self._started)
            self._bar.console.print(f"{news}: {_counted(self._counts)}", soft_wrap=True)


def _news(done: int, total: int, seconds: float) -> str:
    """Return "300 of 1200 done, 41.5/s, about 22 s left"."""
    rate = done / max(seconds, 1e-9)
    left = "" if done == total else f", about {(total - done) / rate:.0f} s left"
    return f"{done} of {total} done, {rate:.1f}/s{left}"


def _counted(counts: Counter[Status]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


def _line(result: SubmissionResult) -> Text:
    """Return "alice   graded   18/20  hw1_attention_scores"."""
    colour = COLOURS.get(result.status, "red")
    parts = [f"{points_of(one.earned)}/{one.points:g} {one.homework}" for one in result.homeworks]
    return Text.assemble(
        (f"{escaped(result.name):<24} ", "bold"), (f"{result.status:<21}", colour), "  ".join(parts)
    )


def _remarks(result: SubmissionResult) -> list[str]:
    """Return what a TA should know at once: problems of reading, and the end of our own failures."""
    faults = [result.fault, *(one.detail for one in result.homeworks if one.status.is_our_fault)]
    return [*result.problems, *(fault.strip().splitlines()[-1] for fault in faults if fault.strip())]


class SeedProgress(Bar):
    """Counts the draws that are done, one per seed and homework, and the right answers that failed so far."""

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
        if not err.is_terminal and self._share(self._done) > self._share(before):
            err.print(f"fresh inputs: {self._done} of {self._total} draws, {failures}", soft_wrap=True)

    def _share(self, done: int) -> int:
        return done * SEED_LINES // max(self._total, 1)


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
        shown = [first] if result.status is Status.GRADED else [first, odd]
        for rows in shown:
            if len(rows) < MOST_ROWS:
                rows.append(result)
    rows = first if counts.total() <= MOST_ROWS else odd
    _print_rows(rows, homeworks)
    if len(rows) < counts.total():
        out.print(f"{counts.total() - len(rows)} more are in the files below.")
    out.print(_counted(counts))


def _print_rows(results: Sequence[SubmissionResult], homeworks: Sequence[str]) -> None:
    used = [h for h in homeworks if any(result.homework(h) for result in results)]
    table = Table(title=None, header_style="bold", row_styles=["", "dim"] if out.is_terminal else None)
    table.add_column("submission", overflow="fold")
    table.add_column("status")
    for homework in used:
        table.add_column(short_name(homework), justify="right")
    table.add_column("total", justify="right")
    for result in results:
        table.add_row(
            Text(escaped(result.name)),
            Text(str(result.status), COLOURS.get(result.status, "red")),
            *(_cell(result, homework) for homework in used),
            points_of(result.earned),
        )
    if results:
        out.print(table)


def _cell(result: SubmissionResult, homework: str) -> str:
    found = result.homework(homework)
    return "" if found is None else points_of(found.earned)
