"""The report as text: one line per check, then the first thing to fix, within one screen.

Marks and colours are fewer where the console cannot show them.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO

from autograder.judging import CheckResult, Outcome, most_fundamental, reasons_told_once
from autograder.student.judge import NOT_WRITTEN, Report

SCREEN = 24
WIDEST, NARROWEST = 110, 60
LINES_TO_FIX = 7
PLAIN = str.maketrans(
    {"…": "...", "√": "sqrt ", "ᵀ": "^T", "→": "->", "≥": ">=", "≤": "<=", "±": "+-"}
    | dict(zip("✓✗–—“”’×·", 'vx--""\'x*', strict=True))
)
COLOURS = {"green": "32", "red": "31", "dim": "2", "bold": "1"}
MARKS = {Outcome.PASSED: ("✓", "green"), Outcome.FAILED: ("✗", "red"), Outcome.NOT_RUN: ("–", "dim")}


@dataclass(frozen=True)
class Style:
    """What the console can show; ``encoding`` is that of the stream."""

    colour: bool = False
    encoding: str = "utf-8"
    width: int = 80

    def fit(self, text: str) -> str:
        """Return the text in characters that the console has."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return text.translate(PLAIN).encode(self.encoding, "replace").decode(self.encoding)
        return text

    def paint(self, text: str, colour: str) -> str:
        """Return the text in a colour, where there are any."""
        return f"\033[{COLOURS[colour]}m{text}\033[0m" if self.colour else text


def style_of(stream: IO[str], width: int, colour: bool | None = None) -> Style:
    """Find out what a stream can show; ``NO_COLOR`` is respected (https://no-color.org)."""
    if colour is None:
        colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(colour, getattr(stream, "encoding", None) or "ascii", width)


def render(report: Report, style: Style) -> str:
    """Return the table and the first thing to fix, in at most 24 lines."""
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    passed = sum(one.outcome is Outcome.PASSED for one in report.results)
    score = (
        f"{passed} of {len(report.results)} public checks pass, {report.earned:g} of {report.points:g} points"
    )
    head = textwrap.wrap(f"{report.title}: {score}", width)[:2]
    told = [style.fit(line) for line in _advice(report, width)]
    room = SCREEN - len(head) - len(told) - 2
    rows = list(_rows(report.results, width, style, collapse=False))
    if len(rows) > room:
        rows = list(_rows(report.results, width, style, collapse=True))
    if len(rows) > room:
        rows = [*rows[: room - 1], style.fit(f"… and {len(rows) - room + 1} more lines")]
    return "\n".join([*(style.paint(style.fit(line), "bold") for line in head), "", *rows, "", *told])


def first_thing_to_fix(report: Report) -> str:
    """Return in words what to do first; nothing when every public check passes."""
    if report.trouble:
        return report.trouble
    wrong = most_fundamental(report.results)
    if wrong is not None:
        return f"{wrong.task}: {reasons_told_once(report.results)[wrong.check]}"
    unwritten = next((one for one in report.results if one.reason == NOT_WRITTEN), None)
    return f"{unwritten.task} is not written yet: start there." if unwritten else ""


def _advice(report: Report, width: int) -> Iterator[str]:
    todo = first_thing_to_fix(report)
    if todo:
        is_wrong = report.trouble or any(one.outcome is Outcome.FAILED for one in report.results)
        label = "First thing to fix: " if is_wrong else "Next: "
        lines = textwrap.wrap(label + todo, width)
        yield from lines[:LINES_TO_FIX]
        if len(lines) > LINES_TO_FIX:
            yield "…"
    else:
        rest = report.total - report.points
        more = f", and further checks worth {rest:g} of {report.total:g} points" if rest > 0 else ""
        said = f"All public checks pass. Grading makes them again with other sizes and numbers{more}."
        for one in (said, *report.after):
            yield from textwrap.wrap(one, width, break_on_hyphens=False)
    for note in report.notes[:2]:
        yield from textwrap.wrap(f"Note: {note}", width, max_lines=3, placeholder=" …")


def _rows(results: Sequence[CheckResult], width: int, style: Style, *, collapse: bool) -> Iterator[str]:
    """The task's name, then one row per check; one row alone where nothing is written yet.

    With ``collapse``, a task whose checks all ended alike has one row as well.
    """
    for task, of_task in groupby(results, key=lambda one: one.task):
        group = list(of_task)
        if all(one.reason == NOT_WRITTEN for one in group):
            yield _row(group, f"{task}: {NOT_WRITTEN}", width, style)
        elif collapse and len({one.outcome for one in group}) == 1:
            yield _row(group, f"{task}: all {len(group)} public checks", width, style)
        else:
            yield style.fit(task)
            for one in group:
                yield "  " + _row([one], one.sentence.removeprefix(f"{task} ").rstrip("."), width - 2, style)


def _row(group: Sequence[CheckResult], text: str, width: int, style: Style) -> str:
    """A mark, the points, and a text cut to what is left of the line."""
    mark, colour = MARKS[group[0].outcome]
    points = sum(one.points for one in group)
    room = width - 9
    text = text if len(text) <= room else text[: room - 1].rstrip() + "…"
    return f"{style.paint(style.fit(mark), colour)} {points:>4g}  {style.fit(text)}"
