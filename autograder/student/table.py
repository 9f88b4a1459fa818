"""The report as text: one line per check, then the first thing to fix, within one screen.

Marks and colours are fewer where the console cannot show them.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO

from autograder.judging import (
    CheckResult,
    Exhibit,
    Outcome,
    grids,
    most_fundamental,
    reasons_told_once,
    sentence,
)
from autograder.student.judge import NOT_WRITTEN, Report

SCREEN = 23
"""With the prompt below it, the table fits on a terminal of 24 lines."""
WIDEST, NARROWEST = 110, 60
LINES_TO_FIX = 7
LINES_OF_CALL, LINES_OF_GRIDS = 3, 7
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
    """Return the table, the first thing to fix and the call that shows it, in at most 23 lines.

    Where that is too much, tasks other than the one to fix get one line each, then the call is cut.
    """
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    passed = sum(one.outcome is Outcome.PASSED for one in report.results)
    score = (
        f"{passed} of {len(report.results)} public checks pass, {report.earned:g} of {report.points:g} points"
    )
    head = textwrap.wrap(f"{report.title}: {score}", width)[:2]
    told, notes = list(_advice(report, width)), list(_notes(report, width))
    wrong = most_fundamental(report.results)
    exhibit = next((one for one in report.shown if wrong and wrong.check in one.checks), None)
    call = ["", *_call(exhibit, width, SCREEN, style)] if exhibit else []
    for whole in (None, [wrong.task] if wrong else [], []):
        rows = list(_rows(report.results, width, style, whole))
        room = SCREEN - len(head) - len(told) - len(notes) - 2
        if len(rows) + len(call) <= room:
            break
    if exhibit and len(rows) + len(call) > room:
        call = _call(exhibit, width, room - len(rows), style)
    if len(rows) > room:
        rows = [*rows[: room - 1], f"… and {len(rows) - room + 1} more lines"]
    text = [style.paint(line, "bold") for line in head] + ["", *rows, "", *told, *call, *notes]
    return "\n".join(map(style.fit, text))


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


def _notes(report: Report, width: int) -> Iterator[str]:
    for note in report.notes[:2]:
        yield from textwrap.wrap(f"Note: {note}", width, max_lines=3, placeholder=" …")


def _call(exhibit: Exhibit, width: int, height: int, style: Style) -> list[str]:
    """Return the call behind a reason, its result beside the expected one, and the line to paste.

    The line to paste begins at the margin, for Python takes no indented one.
    """
    whole = re.sub(
        r" (?=\(|\d+[,)])", "\xa0", sentence(exhibit, LINES_OF_CALL * (width - 10))
    )  # "Q (2, 3)" stays whole
    text = [line.replace("\xa0", " ") for line in textwrap.wrap(whole, width)]
    paste = [exhibit.paste] if len(exhibit.paste) <= width else exhibit.paste.split("; ")
    room = min(LINES_OF_GRIDS, height - len(text) - len(paste))
    lines = [*text, *grids(exhibit, width, room, lambda off: style.paint(off, "red")), *paste]
    return lines if len(lines) <= height else paste if len(paste) <= height else []


def _rows(
    results: Sequence[CheckResult], width: int, style: Style, whole: Sequence[str] | None
) -> Iterator[str]:
    """The task's name, then one row per check; one row alone where nothing is written yet.

    Where only some tasks are to be ``whole``, the others have one row as well.
    """
    for task, of_task in groupby(results, key=lambda one: one.task):
        group = list(of_task)
        passed = sum(one.outcome is Outcome.PASSED for one in group)
        if all(one.reason == NOT_WRITTEN for one in group):
            yield _row(group, f"{task}: {NOT_WRITTEN}", width, style)
        elif whole is not None and task not in whole:
            yield _row(group, f"{task}: {passed} of {len(group)} public checks pass", width, style)
        else:
            yield task
            for one in group:
                yield "  " + _row([one], one.sentence.removeprefix(f"{task} ").rstrip("."), width - 2, style)


def _row(group: Sequence[CheckResult], text: str, width: int, style: Style) -> str:
    """A mark, the points, and a text cut to what is left of the line."""
    outcomes = [one.outcome for one in group]
    mark, colour = MARKS[
        next((one for one in (Outcome.FAILED, Outcome.NOT_RUN) if one in outcomes), outcomes[0])
    ]
    points = sum(one.points for one in group)
    room = width - 9
    text = text if len(text) <= room else text[: room - 1].rstrip() + "…"
    return f"{style.paint(mark, colour)} {points:>4g}  {text}"
