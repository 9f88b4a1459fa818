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
from autograder.language import in_language, say
from autograder.student.judge import NOT_WRITTEN, Report, first_of_tasks
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import most_fundamental, reasons_without_repeats
from autograder.verdict.work import Exhibit

SCREEN = 22
"""With the blank line that pytest writes above it, and the prompt below, this fits on 24 lines."""
ALL_STEPS = 3
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-ZÄÖÜ`“„])")
WIDEST = 110
NARROWEST = 60
LINES_TO_FIX = 7
LINES_OF_CALL = 3
LINES_OF_GRIDS = 7
LINES_PRINTED = 3
PLAIN = str.maketrans(
    {
        "…": "...",
        "√": "sqrt ",
        "ᵀ": "^T",
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "±": "+-",
        "✓": "v",
        "✗": "x",
        "–": "-",
        "—": "-",
        "“": '"',
        "”": '"',
        "’": "'",
        "×": "x",
        "·": "*",
        "␣": "_",
        "„": '"',
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "ß": "ss",
    }
)
"""What stands for a character that the console does not have."""
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
    """The abilities of the console; ``encoding`` is that of the stream."""

    colour: bool = False
    encoding: str = "utf-8"
    width: int = 80

    def fit(self, text: str) -> str:
        """Return the text in characters that the console has."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            plain = text.translate(PLAIN).encode(self.encoding, "replace")
            return plain.decode(self.encoding)
        return text

    def paint(self, text: str, colour: str) -> str:
        """Return the text in a colour, where there are any."""
        if not self.colour:
            return text
        return f"\033[{COLOURS[colour]}m{text}\033[0m"


def style_of(stream: IO[str], width: int, colour: bool | None = None) -> Style:
    """Find out what a stream can show; ``NO_COLOR`` is respected (https://no-color.org)."""
    if colour is None:
        is_dumb = os.environ.get("TERM") == "dumb"
        is_refused = is_dumb or os.environ.get("NO_COLOR")
        colour = stream.isatty() and not is_refused
    encoding = getattr(stream, "encoding", None)
    return Style(colour, encoding or "ascii", width)


@in_language
def render(
    report: Report, style: Style, every: bool = False, steps: int = ALL_STEPS
) -> str:
    """Return the table, the first thing to fix and the call that shows it, on one screen.

    Where that is too much, tasks other than the one to fix get one line each, then the call is cut. With
    ``every``, what is to be fixed in each task is shown at any length. Hints come in steps: which task, what
    is wrong there, where, and how to fix it.
    """
    width = max(NARROWEST, min(style.width, WIDEST)) - 1
    title = f"{report.title}: {score(report)}"
    head = textwrap.wrap(title, width)[:2]
    advice = list(_advice(report, width, steps))
    wrap = partial(textwrap.wrap, width=width, max_lines=3, placeholder=" …")
    notes = []
    for note in report.notes[:2]:
        notes += wrap(say("Note: {note}", note=note))
    notes += wrap(report.questions)
    failed = most_fundamental(report.results)

    call: list[str] = []
    if every and failed:
        # Every task's first thing to fix, at any length.
        rows = list(_rows(report, width, style, None))
        advice = []
        for check in first_of_tasks(report.results):
            advice += textwrap.wrap(_reason(report, check), width)
            advice += call_shown(report, check, width, SCREEN, style)
            advice.append("")
    else:
        # As much as fits on the screen.
        room = SCREEN - len(head) - len(advice) - len(notes) - 2
        if failed and steps > 1:
            call = call_shown(report, failed, width, SCREEN, style)
        # All tasks in full, then only the one to fix, then none.
        task_to_fix = [failed.task] if failed else []
        for whole in (None, task_to_fix, []):
            rows = list(_rows(report, width, style, whole))
            if len(rows) + len(call) <= room:
                break
        if failed and call and len(rows) + len(call) > room:
            call = call_shown(report, failed, width, room - len(rows), style)
        if call and len(rows) + len(call) < room:
            call = ["", *call]
        if len(rows) > room:
            more = say("… and {count} more lines", count=len(rows) - room + 1)
            rows = [*rows[: room - 1], more]
    bold_head = [style.paint(line, "bold") for line in head]
    lines = [*bold_head, "", *rows, "", *advice, *call, *notes]
    text = "\n".join(map(style.fit, lines))
    return text.rstrip()


def score(report: Report) -> str:
    """Return how many checks pass, and the points."""
    checks = _passing(report.results)
    return say(
        "{checks}, {earned:g} of {points:g} points",
        checks=checks,
        earned=report.earned,
        points=report.points,
    )


def _passing(checks: Sequence[CheckResult]) -> str:
    """Return how many of some checks pass."""
    passed = []
    for check in checks:
        if check.outcome is Outcome.PASSED:
            passed.append(check)
    return say(
        "{count} of {total} public checks pass", count=len(passed), total=len(checks)
    )


def _reason(report: Report, failed: CheckResult) -> str:
    reasons = reasons_without_repeats(report.results)
    return f"{failed.task}: {reasons[failed.check]}"


def first_thing_to_fix(report: Report) -> str:
    """Return in words what to do first; nothing when every public check passes."""
    if report.trouble:
        return report.trouble
    failed = most_fundamental(report.results)
    if failed is not None:
        return _reason(report, failed)
    for check in report.results:
        if check.reason == NOT_WRITTEN:
            return say("{task} is not written yet: start there.", task=check.task)
    if any(check.outcome is Outcome.NOT_JUDGED for check in report.results):
        return say("nothing, but not every check could be judged.")
    return ""


def _advice(report: Report, width: int, steps: int) -> Iterator[str]:
    """Yield the first thing to fix, what comes next, or that nothing is left to do."""
    todo = first_thing_to_fix(report)
    failed_checks = first_of_tasks(report.results)
    if report.chosen and len(failed_checks) > 1:
        for check in failed_checks:
            yield from textwrap.wrap(_reason(report, check), width)
    elif todo:
        label = say("Next")
        if failed_checks or report.trouble:
            label = say("First thing to fix")
        advice = hint(report, steps) or todo
        lines = textwrap.wrap(f"{label}: {advice}", width)
        yield from lines[:LINES_TO_FIX]
        if len(lines) > LINES_TO_FIX:
            yield "…"
    else:
        hidden_points = report.total - report.points
        more = ""
        if hidden_points > 0:
            more = say(
                ", and further checks worth {hidden_points:g} of {total:g} points",
                hidden_points=hidden_points,
                total=report.total,
            )
        which = say("these") if report.chosen else say("public")
        success = say(
            "All {which} checks pass. Grading repeats them with other sizes "
            "and numbers{more}.",
            which=which,
            more=more,
        )
        for paragraph in (success, *report.after):
            yield from textwrap.wrap(paragraph, width, break_on_hyphens=False)


def hint(report: Report, steps: int) -> str:
    """Return the first steps of a hint: which task, what is wrong there in one sentence, and where."""
    failed = most_fundamental(report.results)
    if failed is None or steps >= ALL_STEPS:
        return ""
    if not steps:
        return say("{task}. Press h for a hint.", task=failed.task)
    # A reason ends with the fact in brackets, or begins with it.
    explanation, _, facts = failed.reason.rpartition(". (")
    if explanation and facts.endswith(".)"):
        fact = facts[:-1]
    else:
        fact, *_ = SENTENCE.split(failed.reason, maxsplit=1)
    if steps == 1:
        return f"{failed.task}: {fact}"
    place = report.places.get(failed.task)
    begins = say(", which begins at {place}", place=place) if place else ""
    return say(
        "{task}: {fact} Where: `{task}`{begins}.",
        task=failed.task,
        fact=fact,
        begins=begins,
    )


def _exhibit_of(check: CheckResult, report: Report) -> Exhibit | None:
    for exhibit in report.shown:
        if check.check in exhibit.checks:
            return exhibit
    return None


def call_shown(
    report: Report, failed: CheckResult, width: int, height: int, style: Style
) -> list[str]:
    """Return the call behind a reason, its result next to the expected one, the line to paste, and its prints.

    The line to paste begins at the margin, because Python takes no indented one. What was printed is left out
    first.
    """
    exhibit = _exhibit_of(failed, report)
    if exhibit is None:
        return []

    # The call, in which shapes stay whole, the line to paste, and what was printed.
    fact = sentence(exhibit, LINES_OF_CALL * (width - 10))
    unbroken = re.sub(r" (?=\(?\d+[,)])", "\xa0", fact)
    wrapped = textwrap.wrap(unbroken, width)
    text = [line.replace("\xa0", " ") for line in wrapped]
    paste = [exhibit.paste]
    if len(exhibit.paste) > width:
        paste = exhibit.paste.split("; ")
    printed = []
    output = report.output.get(exhibit.case, "").strip()
    if output:
        first_line, *further_lines = output.splitlines()
        printed.append(say("It printed: {first_line}", first_line=first_line))
        for line in further_lines:
            printed.append(f"  {line}")
    printed = [line[:width] for line in printed]

    # The grids side by side, cut to the room that is there; then as many printed lines as fit.
    least_printed = min(2, len(printed))
    room = height - len(text) - len(paste) - least_printed
    paint = partial(style.paint, colour="red")
    table = grids(exhibit, width, min(LINES_OF_GRIDS, room), paint)
    lines = [*text, *table, *paste]
    room = max(0, min(LINES_PRINTED, height - len(lines)))
    if len(printed) > room > 0:
        printed = [*printed[: room - 1], "  …"]
    lines += printed[:room]
    if len(lines) <= height:
        return lines
    return paste if len(paste) <= height else []


def _rows(
    report: Report,
    width: int,
    style: Style,
    whole: Sequence[str] | None,
) -> Iterator[str]:
    """Yield the task's name, then one row per check; one row for a task of which nothing is written yet.

    Where only some tasks are to be ``whole``, the others have one row as well.
    """
    for task, checks in groupby(report.results, key=lambda check: check.task):
        group = list(checks)
        if all(check.reason == NOT_WRITTEN for check in group):
            yield _row(group, f"{task}: {say(NOT_WRITTEN)}", width, style)
        elif whole is not None and task not in whole:
            yield _row(group, f"{task}: {_passing(group)}", width, style)
        else:
            yield task
            for check in group:
                row = _row([check], sentence_of(check), width - 2, style)
                yield f"  {row}"


def sentence_of(check: CheckResult) -> str:
    """Return what a check says of its task; that it does not hold as it stands, where the form is another."""
    text = check.sentence.removeprefix(f"{check.task} ").rstrip(".")
    if check.counted_although:
        return f"{check.counted_although}: {text}"
    return text


def _row(group: Sequence[CheckResult], text: str, width: int, style: Style) -> str:
    """Return a mark, the points, and a text cut to what is left of the line."""
    mark, colour = MARKS[worst(group)]
    painted = style.paint(mark, colour)
    points = sum(check.points for check in group)
    return f"{painted} {points:>4g}  {cut(text, width - 9)}"


def worst(group: Sequence[CheckResult]) -> Outcome:
    """Return the outcome that counts for several checks together."""
    from_best_to_worst = list(MARKS)
    outcomes = [check.outcome for check in group]
    return max(outcomes, key=from_best_to_worst.index)


def cut(text: str, room: int) -> str:
    """Return a text cut to what a line has room for."""
    if len(text) <= room:
        return text
    beginning = text[: room - 1].rstrip()
    return f"{beginning}…"
