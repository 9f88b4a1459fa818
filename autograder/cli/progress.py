"""Live progress on a terminal, plain lines elsewhere, and the closing table."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Sequence

from rich import progress as bars
from rich.table import Table
from rich.text import Text

from autograder.cli.console import err, out
from autograder.exports.wording import points_of, short_name
from autograder.grading.results import SubmissionResult
from autograder.sandbox.status import Status

COLOURS = {Status.GRADED: "green", Status.NOT_SUBMITTED: "yellow", Status.INFRASTRUCTURE_ERROR: "bold red"}


class _Rate(bars.ProgressColumn):
    """Submissions per second; nothing before the first ones are done."""

    def render(self, task: bars.Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f}/s" if speed else "")


class Progress:
    """One line per submission, and on a terminal a bar with rate and remaining time below them."""

    def __init__(self, total: int) -> None:
        self._bar = bars.Progress(
            bars.TextColumn("grading"),
            bars.BarColumn(),
            bars.MofNCompleteColumn(),
            _Rate(),
            bars.TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._bar.add_task("grading", total=total)
        self._counts: Counter[Status] = Counter()

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self._bar.stop()

    def advance(self, result: SubmissionResult) -> None:
        """Show one more result."""
        self._counts[result.status] += 1
        self._bar.console.print(_line(result), soft_wrap=True)
        for line in _remarks(result):
            self._bar.console.print(Text(f"    {line}", "yellow"), soft_wrap=True)
        self._bar.advance(self._task)


def _line(result: SubmissionResult) -> Text:
    """Return "alice   graded   18/20  hw1_attention_scores"."""
    colour = COLOURS.get(result.status, "red")
    parts = [f"{points_of(one.earned)}/{one.points:g} {one.homework}" for one in result.homeworks]
    return Text.assemble(
        (f"{printable(result.name):<24} ", "bold"), (f"{result.status:<21}", colour), "  ".join(parts)
    )


def _remarks(result: SubmissionResult) -> list[str]:
    """Return what a TA should know at once: problems of reading, and the end of our own failures."""
    faults = [result.fault, *(one.detail for one in result.homeworks if one.status.is_our_fault)]
    return [*result.problems, *(fault.strip().splitlines()[-1] for fault in faults if fault.strip())]


def closing_table(results: Sequence[SubmissionResult], homeworks: Sequence[str]) -> None:
    """Print one row per submission, and the counts by status."""
    used = [h for h in homeworks if any(result.homework(h) for result in results)]
    table = Table(title=None, header_style="bold", row_styles=["", "dim"] if out.is_terminal else None)
    table.add_column("submission", overflow="fold")
    table.add_column("status")
    for homework in used:
        table.add_column(short_name(homework), justify="right")
    table.add_column("total", justify="right")
    for result in results:
        table.add_row(
            Text(printable(result.name)),
            Text(str(result.status), COLOURS.get(result.status, "red")),
            *(_cell(result, homework) for homework in used),
            points_of(result.earned),
        )
    out.print(table)
    counts = Counter(str(result.status) for result in results)
    out.print(", ".join(f"{count} {status}" for status, count in counts.most_common()))


def _cell(result: SubmissionResult, homework: str) -> str:
    found = result.homework(homework)
    return "" if found is None else points_of(found.earned)


def printable(name: str) -> str:
    """Return a file name that cannot move the cursor or break the line."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
