"""``python check.py --github``: the report as GitHub shows it, a job's summary and annotations at lines.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from autograder.language import in_language, say
from autograder.student.judge import NOT_WRITTEN, Report, first_of_tasks
from autograder.student.table import (
    MARKS,
    Style,
    call_shown,
    first_thing_to_fix,
    score,
    worst,
)
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import (
    groups_by_reason,
    most_fundamental,
    reasons_without_repeats,
)

MOST_SHOWN = 10
"""GitHub shows so many errors of one step."""
WIDTH = 100
HEIGHT = 30
"""Letters of a line and lines of the call that a summary shows."""
FEEDBACK = (
    "These checks are feedback, not the grade: grading repeats them with other numbers."
)
_PLACE = re.compile(r"\bline (\d+)(?: of (cell \d+|[^\s:`]+))?")
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]")


@in_language
def tell(report: Report, folder: Path, origin: str, style: Style) -> None:
    """Print the annotations, and append the summary to the file that GitHub names for it, if there is one."""
    for line in errors(report, folder, origin):
        print(style.fit(line))
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(summary(report))


def errors(report: Report, folder: Path, origin: str) -> Iterator[str]:
    """Yield an error for each task that is wrong, at the line that raised or where its function begins.

    For a notebook the message names the cell instead, because GitHub would count lines of its JSON.
    """
    # Files are named from the repository's folder.
    folder = folder.resolve()
    repository = Path(os.environ.get("GITHUB_WORKSPACE") or folder).resolve()
    below = Path()
    if folder.is_relative_to(repository):
        below = folder.relative_to(repository)

    # What is wrong: why nothing could be run, and the first reason of each task, with the line it names. An
    # annotation is read alone, so one that shares the reason of another task names the line of that task.
    reason_of_check = reasons_without_repeats(report.results)
    head_of_check = {}
    for group in groups_by_reason(report.results):
        head, *_ = group
        for check in group:
            head_of_check[check.check] = head
    errors_of_tasks = []
    trouble = report.trouble
    if trouble:
        errors_of_tasks.append(("", trouble, _line_named(trouble)))
    for check in first_of_tasks(report.results):
        head = head_of_check[check.check]
        if head.task == check.task:
            reason = reason_of_check[check.check]
            raised_at = _line_named(reason)
        else:
            reason = f"Same reason as for `{head.task}`."
            raised_at = None
            head_place = _line_named(head.reason)
            if head_place is None:
                beginning = report.places.get(head.task, "")
                head_place = _PLACE.search(beginning)
            if head_place:
                reason = f"Same reason as for `{head.task}`, {head_place[0]}."
        errors_of_tasks.append((check.task, reason, raised_at))

    for task, reason, raised_at in errors_of_tasks[:MOST_SHOWN]:
        # The line that the reason names, or else the one where the function begins.
        text = reason
        place = raised_at
        if place is None:
            beginning = report.places.get(task, "")
            place = _PLACE.search(beginning)
        file = origin
        line = ""
        if place:
            line, named_file = place.groups()
            if str(named_file).endswith(".py"):
                file = named_file
            elif not file.endswith(".py"):  # a notebook
                line = ""
                if not raised_at:
                    text = f"{reason} ({place[0]})"
        properties = {}
        if file:
            path = below / file
            properties["file"] = path.as_posix()
        if line:
            properties["line"] = line
        properties["title"] = task or report.title
        yield _error(properties, text)


def _line_named(reason: str) -> re.Match[str] | None:
    """Find the line that a reason names, not one that the message it quotes names."""
    before_message, *_ = reason.partition(" It says: ")
    return _PLACE.search(before_message)


def _error(properties: Mapping[str, str], text: str) -> str:
    """Return the workflow command that shows an error."""
    written = []
    for name, value in properties.items():
        escaped_value = _escaped(value, ":,")
        written.append(f"{name}={escaped_value}")
    all_properties = ",".join(written)
    escaped_text = _escaped(text)
    return f"::error {all_properties}::{escaped_text}"


def _escaped(text: str, more: str = "") -> str:
    """Escape a text for a workflow command; ``more`` are further characters to escape, in properties."""

    def code(match: re.Match[str]) -> str:
        return f"%{ord(match[0]):02X}"

    return re.sub(f"[%\r\n{more}]", code, text)


def summary(report: Report) -> str:
    """Return the report in Markdown: a table of tasks and checks, and the first thing to fix."""
    # The table.
    title = _text(report.title)
    points = score(report)
    checks_column = say("task or check")
    points_column = say("points")
    lines = [
        f"## {title}: {points}",
        "",
        f"| | {checks_column} | {points_column} |",
        "|---|---|--:|",
    ]
    for task, checks in groupby(report.results, key=lambda check: check.task):
        lines += _rows(task, list(checks))

    # The first thing to fix, and the call that shows it.
    failed = most_fundamental(report.results)
    todo = first_thing_to_fix(report)
    lines.append("")
    if todo:
        heading = say("Next")
        if failed or report.trouble:
            heading = say("First thing to fix")
        lines.append(f"**{heading}:** {_text(todo)}")
    else:
        lines.append(say("All public checks pass."))
    if failed and not report.trouble:
        call = call_shown(report, failed, WIDTH, HEIGHT, Style())
        if call:
            lines += ["", "~~~~~~~~text", *call, "~~~~~~~~"]

    for note in report.notes:
        sentence = say("Note: {note}", note=note)
        lines += ["", _text(sentence)]
    if report.questions:
        lines += ["", _text(report.questions)]
    lines += ["", say(FEEDBACK), "", ""]
    return "\n".join(lines)


def _rows(task: str, checks: list[CheckResult]) -> Iterator[str]:
    """Yield a task's row, and one for each of its checks, unless none was run."""
    earned = sum(check.earned for check in checks)
    points = sum(check.points for check in checks)
    reasons = {check.reason for check in checks}
    outcomes = {check.outcome for check in checks}
    name = f"**{_text(task)}**"
    if reasons == {NOT_WRITTEN}:
        name = f"{name}: {say(NOT_WRITTEN)}"
    mark, _ = MARKS[worst(checks)]
    yield f"| {mark} | {name} | **{earned:g}/{points:g}** |"
    if outcomes == {Outcome.NOT_RUN}:
        return
    for check in checks:
        mark, _ = MARKS[check.outcome]
        sentence = check.sentence.removeprefix(f"{task} ")
        text = _text(sentence.rstrip("."))
        text = re.sub(r"(?<!\\)\|", r"\|", text)  # also in code, for the table's sake
        yield f"| {mark} | {text} | {check.earned:g}/{check.points:g} |"


def _text(text: str) -> str:
    """Escape a text for Markdown, except for code in backquotes."""
    one_line = " ".join(text.split())
    parts = re.split(r"((?<!`)`[^`]+`(?!`))", one_line)
    for index in range(0, len(parts), 2):  # every other part is code
        parts[index] = _MARKDOWN.sub(r"\\\g<0>", parts[index])
    return "".join(parts)
