"""The report as text: one line per check, then the first thing to fix, within one screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from autograder.judging import CheckResult, Outcome
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.style import MARKS, Style

SCREEN = 24
WIDEST, NARROWEST = 110, 60
LINES_TO_FIX = 7


def render(report: Report, style: Style) -> str:
    """Return the table and the first thing to fix, in at most 24 lines."""
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    head = textwrap.wrap(f"{report.title}: {_score(report)}", width)[:2]
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
    wrong = next((one for one in report.results if one.outcome is Outcome.FAILED), None)
    if wrong is not None:
        return f"{wrong.task}: {wrong.reason}"
    unwritten = next((one for one in report.results if one.reason == NOT_WRITTEN), None)
    return f"{unwritten.task} is not written yet: start there." if unwritten else ""


def _score(report: Report) -> str:
    passed = sum(one.outcome is Outcome.PASSED for one in report.results)
    return (
        f"{passed} of {len(report.results)} public checks pass, {report.earned:g} of {report.points:g} points"
    )


def _advice(report: Report, width: int) -> Iterator[str]:
    todo = first_thing_to_fix(report)
    if todo:
        label = "First thing to fix: " if report.trouble or _is_any_wrong(report) else "Next: "
        lines = textwrap.wrap(label + todo, width)
        yield from lines[:LINES_TO_FIX]
        if len(lines) > LINES_TO_FIX:
            yield "…"
    else:
        rest = report.total - report.points
        more = f", and further checks worth {rest:g} of {report.total:g} points" if rest > 0 else ""
        said = f"All public checks pass. Grading makes them again with other sizes and numbers{more}."
        yield from textwrap.wrap(said, width)
    for note in report.notes[:2]:
        yield from textwrap.wrap(f"Note: {note}", width)[:2]


def _is_any_wrong(report: Report) -> bool:
    return any(one.outcome is Outcome.FAILED for one in report.results)


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
