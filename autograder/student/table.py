"""The report as text: one line per check, then the first thing to fix, within one screen.

Marks and colours are fewer where the console cannot show them.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import IO

from autograder.exhibits.side_by_side import grids, sentence
from autograder.student.judge import NOT_WRITTEN, Report, first_of_tasks
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import most_fundamental, reasons_told_once

SCREEN = 22
"""With the blank line that pytest writes above it, and the prompt below, this fits on 24 lines."""
ALL_STEPS = 3
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`“])")
WIDEST, NARROWEST = 110, 60
LINES_TO_FIX = 7
LINES_OF_CALL, LINES_OF_GRIDS, LINES_PRINTED = 3, 7, 3
PLAIN = str.maketrans(
    {"…": "...", "√": "sqrt ", "ᵀ": "^T", "→": "->", "≥": ">=", "≤": "<=", "±": "+-"}
    | dict(zip("✓✗–—“”’×·", 'vx--""\'x*', strict=True))
)
COLOURS = {"green": "32", "red": "31", "dim": "2", "bold": "1"}
MARKS = {
    Outcome.PASSED: ("✓", "green"),
    Outcome.NOT_RUN: ("–", "dim"),
    Outcome.NOT_JUDGED: ("?", "dim"),
    Outcome.FAILED: ("✗", "red"),
}
"""From the best outcome to the worst."""


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
            return (
                text.translate(PLAIN)
                .encode(self.encoding, "replace")
                .decode(self.encoding)
            )
        return text

    def paint(self, text: str, colour: str) -> str:
        """Return the text in a colour, where there are any."""
        return f"\033[{COLOURS[colour]}m{text}\033[0m" if self.colour else text


def style_of(stream: IO[str], width: int, colour: bool | None = None) -> Style:
    """Find out what a stream can show; ``NO_COLOR`` is respected (https://no-color.org)."""
    if colour is None:
        colour = (
            stream.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )
    return Style(colour, getattr(stream, "encoding", None) or "ascii", width)


def render(
    report: Report, style: Style, every: bool = False, steps: int = ALL_STEPS
) -> str:
    """Return the table, the first thing to fix and the call that shows it, on one screen.

    Where that is too much, tasks other than the one to fix get one line each, then the call is cut. With
    ``every``, what is to be fixed in each task is told at any length. Hints come in steps: which task, what
    is wrong there, where, and how to mend it.
    """
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    passed = sum(one.outcome is Outcome.PASSED for one in report.results)
    score = f"{passed} of {len(report.results)} public checks pass, {report.earned:g} of {report.points:g} points"
    head = textwrap.wrap(f"{report.title}: {score}", width)[:2]
    told = list(_advice(report, width, steps))
    wrap = partial(textwrap.wrap, width=width, max_lines=3, placeholder=" …")
    notes = [line for note in report.notes[:2] for line in wrap(f"Note: {note}")]
    notes += wrap(report.questions)
    wrong = most_fundamental(report.results)
    if every and wrong:
        rows = list(_rows(report.results, width, style, None))
        told, call = [], []
        for one in first_of_tasks(report.results):
            told += textwrap.wrap(_reason(report, one), width)
            told += [*call_shown(report, one, width, SCREEN, style), ""]
    else:
        call = (
            call_shown(report, wrong, width, SCREEN, style)
            if wrong and steps > 1
            else []
        )
        for whole in (None, [wrong.task] if wrong else [], []):
            rows = list(_rows(report.results, width, style, whole))
            room = SCREEN - len(head) - len(told) - len(notes) - 2
            if len(rows) + len(call) <= room:
                break
        if wrong and call and len(rows) + len(call) > room:
            call = call_shown(report, wrong, width, room - len(rows), style)
        if call and len(rows) + len(call) < room:
            call = ["", *call]
        if len(rows) > room:
            rows = [*rows[: room - 1], f"… and {len(rows) - room + 1} more lines"]
    text = [style.paint(line, "bold") for line in head] + [
        "",
        *rows,
        "",
        *told,
        *call,
        *notes,
    ]
    return "\n".join(map(style.fit, text)).rstrip()


def _reason(report: Report, wrong: CheckResult) -> str:
    return f"{wrong.task}: {reasons_told_once(report.results)[wrong.check]}"


def first_thing_to_fix(report: Report) -> str:
    """Return in words what to do first; nothing when every public check passes."""
    if report.trouble:
        return report.trouble
    wrong = most_fundamental(report.results)
    if wrong is not None:
        return _reason(report, wrong)
    unwritten = next((one for one in report.results if one.reason == NOT_WRITTEN), None)
    if unwritten is not None:
        return f"{unwritten.task} is not written yet: start there."
    not_judged = any(one.outcome is Outcome.NOT_JUDGED for one in report.results)
    return "nothing, but not every check could be judged." if not_judged else ""


def _advice(report: Report, width: int, steps: int) -> Iterator[str]:
    todo, wrong = first_thing_to_fix(report), first_of_tasks(report.results)
    if report.chosen and len(wrong) > 1:
        for one in wrong:
            yield from textwrap.wrap(_reason(report, one), width)
    elif todo:
        label = "First thing to fix: " if wrong or report.trouble else "Next: "
        lines = textwrap.wrap(label + (hint(report, steps) or todo), width)
        yield from lines[:LINES_TO_FIX]
        if len(lines) > LINES_TO_FIX:
            yield "…"
    else:
        rest = report.total - report.points
        more = (
            f", and further checks worth {rest:g} of {report.total:g} points"
            if rest > 0
            else ""
        )
        those = "these" if report.chosen else "public"
        said = f"All {those} checks pass. Grading makes them again with other sizes and numbers{more}."
        for line in (said, *report.after):
            yield from textwrap.wrap(line, width, break_on_hyphens=False)


def hint(report: Report, steps: int) -> str:
    """Return the first steps of a hint: which task, what is wrong there in one sentence, and where."""
    wrong = most_fundamental(report.results)
    if wrong is None or steps >= ALL_STEPS:
        return ""
    if not steps:
        return f"{wrong.task}. Press h for a hint."
    says, _, facts = wrong.reason.rpartition(". (")
    what = (
        facts[:-1]
        if says and facts.endswith(".)")
        else SENTENCE.split(wrong.reason, maxsplit=1)[0]
    )
    place = report.places.get(wrong.task)
    where = (
        f" Where: `{wrong.task}`{f', which begins at {place}' if place else ''}."
        if steps > 1
        else ""
    )
    return f"{wrong.task}: {what}{where}"


def call_shown(
    report: Report, wrong: CheckResult, width: int, height: int, style: Style
) -> list[str]:
    """Return the call behind a reason, its result beside the expected one, the line to paste, and its prints.

    The line to paste begins at the margin, for Python takes no indented one. What was printed is left out
    first.
    """
    exhibit = next((one for one in report.shown if wrong.check in one.checks), None)
    if exhibit is None:
        return []
    fact = sentence(exhibit, LINES_OF_CALL * (width - 10))
    text = textwrap.wrap(
        re.sub(r" (?=\(?\d+[,)])", "\xa0", fact), width
    )  # in which shapes stay whole
    text = [line.replace("\xa0", " ") for line in text]
    paste = (
        [exhibit.paste] if len(exhibit.paste) <= width else exhibit.paste.split("; ")
    )
    first, *others = report.output.get(exhibit.case, "").strip().splitlines() or [""]
    printed = [
        one[:width]
        for one in (f"It printed: {first}", *(f"  {one}" for one in others))
        if first
    ]
    least = min(2, len(printed))
    room = min(LINES_OF_GRIDS, height - len(text) - len(paste) - least)
    lines = [
        *text,
        *grids(exhibit, width, room, lambda off: style.paint(off, "red")),
        *paste,
    ]
    left = min(LINES_PRINTED, height - len(lines))
    lines += (
        [*printed[: left - 1], "  …"]
        if len(printed) > left > 0
        else printed[: max(0, left)]
    )
    return lines if len(lines) <= height else paste if len(paste) <= height else []


def _rows(
    results: Sequence[CheckResult],
    width: int,
    style: Style,
    whole: Sequence[str] | None,
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
            yield _row(
                group,
                f"{task}: {passed} of {len(group)} public checks pass",
                width,
                style,
            )
        else:
            yield task
            for one in group:
                yield "  " + _row(
                    [one],
                    one.sentence.removeprefix(f"{task} ").rstrip("."),
                    width - 2,
                    style,
                )


def _row(group: Sequence[CheckResult], text: str, width: int, style: Style) -> str:
    """A mark, the points, and a text cut to what is left of the line."""
    mark, colour = MARKS[worst(group)]
    points = sum(one.points for one in group)
    return f"{style.paint(mark, colour)} {points:>4g}  {cut(text, width - 9)}"


def worst(group: Sequence[CheckResult]) -> Outcome:
    """Return the outcome that counts for several checks together."""
    return max((one.outcome for one in group), key=list(MARKS).index)


def cut(text: str, room: int) -> str:
    """Return a text cut to what a line has room for."""
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"
