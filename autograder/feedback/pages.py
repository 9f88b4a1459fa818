"""What pages about results share (words, signs, the template engine), and the student's page."""

from __future__ import annotations

import functools
import hashlib
import re
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from autograder.course.homework import DRILL, EXAMPLES
from autograder.intake.csv_table import replacing
from autograder.sandbox.report import escaped
from autograder.templates import environment
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.results import (
    HomeworkResult,
    SubmissionResult,
    alike,
    most_fundamental,
)
from autograder.verdict.work import Exhibit, Grid

PAGES = "report"
"""The folder of the pages about single submissions, beside the page about the class."""

RIGHT = "·"
"""A number that is right, in a grid of differences."""
BUFFERED = 64
LONGEST = 25_000
"""Characters of any one text; those of a result are cut before."""


def as_sentence(reason: str) -> str:
    """Return why a check gave no points, or nothing; a sentence that begins with a name keeps its letters."""
    begins_with_a_name = "_" in reason.partition(" ")[0]
    return reason if begins_with_a_name else reason[:1].upper() + reason[1:]


def change_lines(homework: HomeworkResult) -> list[str]:
    """Return what was done to the points of the checks, one sentence per change, and what is still open."""
    lines = []
    for change in homework.changes:
        unit = "point" if abs(change.points) == 1 else "points"
        signed = (
            f"{change.points:+g} {unit}: ".replace("-", "−") if change.points else ""
        )
        lines.append(f"{signed}{change.reason}")
    if lines and homework.raw is not None and homework.final != homework.raw:
        lines.insert(0, f"Points from the checks: {homework.raw:g}.")
    if homework.awaiting:
        lines.append(
            f"Not marked yet, so the points are provisional: {', '.join(homework.awaiting)}."
        )
    return lines


def short_name(homework_id: str) -> str:
    """Return "hw1" for "hw1_attention_scores", for the head of a narrow column; of a drill "hw1_drill"."""
    kind = next((kind for kind in (DRILL, EXAMPLES) if homework_id.endswith(kind)), "")
    return homework_id.partition("_")[0] + kind


def page_of(name: str) -> str:
    """Return the file name, without suffix, of the staff's page of a submission.

    It is 128 bits of a hash, because students choose the names of their submissions: of 48 bits, anybody can
    find two names with one page in a minute, and one submission would hide the other from the staff.
    """
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def former_page_of(name: str) -> str:
    """Return the name of the same page as earlier versions wrote it, with 48 bits of the hash."""
    return page_of(name)[:12]


def points_of(earned: float | None) -> str:
    """Return points as text; a dash where there is no fair grade yet."""
    return "–" if earned is None else f"{earned:g}"


@dataclass(frozen=True)
class Fault:
    """Checks of one task that give no points for one reason, and the public cases that show it.

    ``group`` are all checks of the homework that fail for this reason, the one that tells it at the head.
    """

    checks: Sequence[CheckResult]
    group: Sequence[CheckResult]
    exhibits: Sequence[Exhibit]


@dataclass(frozen=True)
class TaskPart:
    """What a student reads of one task; ``exhibits`` are those that belong to no fault alone."""

    name: str
    checks: Sequence[CheckResult]
    faults: Sequence[Fault]
    exhibits: Sequence[Exhibit]


def task_parts(homework: HomeworkResult) -> list[TaskPart]:
    """Return a homework by task; where it gives no hints, there are no exhibits, and no groups that hint."""
    hints = homework.hints != "never"
    groups = alike(homework.checks) if hints else [[one] for one in homework.checks]
    group_of = {one.check: group for group in groups for one in group}
    parts = []
    for task in dict.fromkeys(one.task for one in homework.checks):
        checks = [one for one in homework.checks if one.task == task]
        missed = defaultdict[tuple[Outcome, str], list[CheckResult]](list)
        for one in checks:
            if one.outcome is not Outcome.PASSED:
                is_failed = one.outcome is Outcome.FAILED
                missed[
                    one.outcome,
                    group_of[one.check][0].check if is_failed else one.reason,
                ].append(one)
        left = (
            [one for one in homework.work.shown if one.task == task]
            if homework.work and hints
            else []
        )
        faults = []
        for own in missed.values():
            names = {one.check for one in own}
            exhibits = [
                one for one in left if one.checks and names.issuperset(one.checks)
            ]
            left = [one for one in left if one not in exhibits]
            faults.append(Fault(own, group_of[own[0].check], exhibits))
        parts.append(TaskPart(task, checks, faults, left))
    return parts


def quoted(text: str) -> Markup:
    """Return a text as HTML in which what stands in backticks is code, and all else is inert."""
    return Markup(
        re.sub("`([^`\n]+)`", r"<code>\1</code>", str(escape(_printable(text))))
    )


def rows_of(grid: Grid, difference: Grid | None = None) -> Markup:
    """Return a grid's rows as HTML, aligned also as plain text; a difference marks the cells that are off."""
    rows = [
        row.split(" ")
        for row in str(escape(_printable("\n".join(grid.rows)))).split("\n")
    ]
    signs = "\n".join(difference.rows if difference else ()).split("\n")
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    made = []
    for row, own in zip_longest(rows, signs[: len(rows)], fillvalue=""):
        cells = map(str.rjust, row, widths)
        if own.count(RIGHT) == own.count(" ") + bool(own):
            made.append(f"<tr><td>{'</td><td>'.join(cells)}</td></tr>")
            continue
        off = ("" if sign == RIGHT else ' class="off"' for sign in own.split(" "))
        made.append(f"<tr>{''.join(map('<td{}>{}</td>'.format, off, cells))}</tr>")
    return Markup("\n".join(made))


def write_feedback(path: Path, result: SubmissionResult) -> None:
    """Write the student's page: nothing on it that a student may not see."""
    path.write_text(feedback_page(result), encoding="utf-8")


def feedback_page(result: SubmissionResult) -> str:
    """Return the student's page; where what came out cannot be shown, with the points and reasons alone."""
    with explaining(f"what came out, on the feedback of {result.name}"):
        return render("feedback.html", result=result)
    return render("feedback.html", result=without_work(result))


def without_work(result: SubmissionResult) -> SubmissionResult:
    """Return the result without source and exhibits."""
    homeworks = (replace(homework, work=None) for homework in result.homeworks)
    return replace(result, homeworks=tuple(homeworks))


def page(path: Path, template: str, **values: object) -> None:
    """Write a page piece by piece."""
    stream = _environment().get_template(template).stream(**values)
    stream.enable_buffering(BUFFERED)
    with (
        replacing(path) as part,
        part.open("w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        file.writelines(stream)


def render(template: str, **values: object) -> str:
    """Return a template of this package filled with values, all of them escaped."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    """Made once, so that templates are not compiled again for each submission."""
    own = environment("autograder.feedback", _printable)
    own.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
    }
    own.filters |= {
        "points": points_of,
        "parts": task_parts,
        "changes": change_lines,
        "first_to_mend": lambda homework: most_fundamental(homework.checks),
        "quoted": quoted,
        "sentence": as_sentence,
        "rows": rows_of,
        "short": short_name,
        "page_of": page_of,
        "mean": statistics.mean,
        "median": statistics.median,
    }
    return own


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves.

    What filters such as ``tojson`` made is ready as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > LONGEST:
        value = f"{value[:LONGEST]} … {len(value) - LONGEST:,} characters left out"
    is_plain = type(value) is str and value.replace("\n", "").isprintable()
    return value if is_plain else escaped(value, keep="\n\t")
