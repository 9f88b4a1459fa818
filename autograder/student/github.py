"""``python check.py --github``: the report as GitHub shows it, a job's summary and annotations at lines.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from autograder.student.judge import NOT_WRITTEN, Report, first_of_tasks
from autograder.student.table import MARKS, Style, call_shown, first_thing_to_fix, worst
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import most_fundamental, reasons_told_once

MOST_SHOWN = 10
"""GitHub shows so many errors of one step."""
WIDTH, HEIGHT = 100, 30
FEEDBACK = "These checks are feedback, not the grade: grading makes them again with other numbers."
_PLACE = re.compile(r"\bline (\d+)(?: of (cell \d+|[^\s:`]+))?")
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]")


def tell(report: Report, folder: Path, origin: str, style: Style) -> None:
    """Print the annotations, and append the summary to the file that GitHub names for it, if there is one."""
    for line in errors(report, folder, origin):
        print(style.fit(line))
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(summary(report))


def errors(report: Report, folder: Path, origin: str) -> Iterator[str]:
    """Yield an error for each task that is wrong, at the line that raised or where its function begins.

    For a notebook the message names the cell instead, because GitHub would count lines of its JSON.
    """
    own, repository = (
        folder.resolve(),
        Path(os.environ.get("GITHUB_WORKSPACE") or folder).resolve(),
    )
    below = own.relative_to(repository) if own.is_relative_to(repository) else Path()
    told = reasons_told_once(report.results)
    wrong = [("", report.trouble)] if report.trouble else []
    wrong += [(one.task, told[one.check]) for one in first_of_tasks(report.results)]
    for task, reason in wrong[:MOST_SHOWN]:
        raised = _PLACE.search(reason.partition(" It says: ")[0])
        place = raised or _PLACE.search(report.places.get(task, ""))
        file, line = origin, place[1] if place else ""
        if place and str(place[2]).endswith(".py"):
            file = place[2]
        elif place and not file.endswith(".py"):
            reason, line = reason if raised else f"{reason} ({place[0]})", ""
        known = {
            "file": file and (below / file).as_posix(),
            "line": line,
            "title": task or report.title,
        }
        properties = ",".join(
            f"{key}={_escaped(value, ':,')}" for key, value in known.items() if value
        )
        yield f"::error {properties}::{_escaped(reason)}"


def _escaped(text: str, more: str = "") -> str:
    """Escape a text for a workflow command; ``more`` are further characters to escape, in properties."""
    return re.sub(f"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", text)


def summary(report: Report) -> str:
    """Return the report in Markdown: a table of tasks and checks, and the first thing to fix."""
    passed = sum(one.outcome is Outcome.PASSED for one in report.results)
    count = f"{passed} of {len(report.results)} public checks pass"
    points = f"{report.earned:g} of {report.points:g} points"
    lines = [f"## {_text(report.title)}: {count}, {points}", ""]
    lines += ["| | task or check | points |", "|---|---|--:|"]
    for task, of_task in groupby(report.results, key=lambda one: one.task):
        lines += _rows(task, list(of_task))
    first, todo = most_fundamental(report.results), first_thing_to_fix(report)
    label = "First thing to fix" if first or report.trouble else "Next"
    lines += ["", f"**{label}:** {_text(todo)}" if todo else "All public checks pass."]
    if (
        first
        and not report.trouble
        and (call := call_shown(report, first, WIDTH, HEIGHT, Style()))
    ):
        lines += ["", "~~~~~~~~text", *call, "~~~~~~~~"]
    more = [*(f"Note: {note}" for note in report.notes), report.questions]
    lines += [f"\n{_text(one)}" for one in more if one]
    return "\n".join([*lines, "", FEEDBACK, "", ""])


def _rows(task: str, group: list[CheckResult]) -> Iterator[str]:
    earned, points = sum(one.earned for one in group), sum(one.points for one in group)
    state = (
        f": {NOT_WRITTEN}" if all(one.reason == NOT_WRITTEN for one in group) else ""
    )
    yield f"| {MARKS[worst(group)][0]} | **{_text(task)}**{state} | **{earned:g}/{points:g}** |"
    is_run = any(one.outcome is not Outcome.NOT_RUN for one in group)
    for one in group if is_run else ():
        said = _text(one.sentence.removeprefix(f"{task} ").rstrip("."))
        said = re.sub(r"(?<!\\)\|", r"\|", said)  # also in code, for the table's sake
        yield f"| {MARKS[one.outcome][0]} | {said} | {one.earned:g}/{one.points:g} |"


def _text(text: str) -> str:
    """Escape a text for Markdown, except for code in backquotes."""
    parts = re.split(r"((?<!`)`[^`]+`(?!`))", " ".join(text.split()))
    parts[::2] = [_MARKDOWN.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)
