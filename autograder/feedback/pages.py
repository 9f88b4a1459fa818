"""Shared parts of all pages about results (words, signs, the template engine), and the student's page."""

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
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from autograder.atomic import replacing
from autograder.course.homework import DRILL, EXAMPLES
from autograder.csv_table import points_cell
from autograder.language import say, speaking
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.untrusted_text import for_screen
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.results import (
    groups_by_reason,
    most_fundamental,
)
from autograder.verdict.work import RIGHT, Exhibit, Grid

if TYPE_CHECKING:
    import jinja2

PAGES = "report"
"""The folder of the pages about single submissions, next to the page about the class."""

BUFFERED = 64
LONGEST = 25_000
"""Characters of any one text; those of a result are cut before."""


def as_sentence(reason: str) -> str:
    """Return why a check gave no points, or nothing; a sentence that begins with a name keeps its letters."""
    begins_with_a_name = "_" in reason.partition(" ")[0]
    if begins_with_a_name:
        return reason
    return reason[:1].upper() + reason[1:]


def change_lines(homework: HomeworkGrade) -> list[str]:
    """Return one sentence per change of the checks' points, and one for answers that are still to be marked."""
    lines = []
    for change in homework.changes:
        unit = say("points")
        if abs(change.points) == 1:
            unit = say("point")
        signed = ""
        if change.points:
            signed = f"{change.points:+g} {unit}: ".replace("-", "−")
        lines.append(f"{signed}{change.reason}")
    if lines and homework.raw is not None and homework.final != homework.raw:
        lines.insert(0, say("Points from the checks: {points:g}.", points=homework.raw))
    if homework.awaiting:
        questions = ", ".join(homework.awaiting)
        lines.append(
            say(
                "Not marked yet, so the points are provisional: {questions}.",
                questions=questions,
            )
        )
    return lines


def short_name(homework_id: str) -> str:
    """Return "hw1" for "hw1_attention_scores", for the head of a narrow column; of a drill "hw1_drill"."""
    short = homework_id.partition("_")[0]
    for kind in (DRILL, EXAMPLES):
        if homework_id.endswith(kind):
            return short + kind
    return short


def page_of(name: str) -> str:
    """Return the file name, without suffix, of the staff's page of a submission.

    It is 128 bits of a hash, because students choose the names of their submissions: of 48 bits, anybody can
    find two names with one page in a minute, and one submission would hide the other from the staff.
    """
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def points_of(earned: float | None) -> str:
    """Return points as text; a dash where there is no fair grade yet."""
    return points_cell(earned) or "–"


def with_bonus(points: str, bonus: float) -> str:
    """Return points as text with how many of them are a bonus, where any are: "23 of 20, 3 of them bonus"."""
    if not bonus:
        return points
    return say("{points}, {bonus:g} of them bonus", points=points, bonus=bonus)


@dataclass(frozen=True)
class Fault:
    """Checks of one task that give no points for one reason, and the public cases that show it.

    ``group`` are all checks of the homework that fail for this reason, first the one that states it.
    """

    checks: Sequence[CheckResult]
    group: Sequence[CheckResult]
    exhibits: Sequence[Exhibit]


@dataclass(frozen=True)
class TaskPart:
    """The part of a student's page about one task; ``exhibits`` are those that do not belong to a single fault."""

    name: str
    checks: Sequence[CheckResult]
    faults: Sequence[Fault]
    exhibits: Sequence[Exhibit]


def task_parts(homework: HomeworkGrade) -> list[TaskPart]:
    """Return a homework by task; where it gives no hints, there are no exhibits, and no groups that hint."""
    has_hints = homework.hints != "never"
    group_of: dict[str, Sequence[CheckResult]] = {}
    checks_of_task: dict[str, list[CheckResult]] = {}
    for check in homework.checks:
        group_of[check.check] = [check]
        checks_of_task.setdefault(check.task, []).append(check)
    if has_hints:
        for equal_checks in groups_by_reason(homework.checks):
            for check in equal_checks:
                group_of[check.check] = equal_checks

    parts = []
    for task, checks in checks_of_task.items():
        # Failed checks by the head of their group, others that give no points by their reason.
        missed = defaultdict[tuple[Outcome, str], list[CheckResult]](list)
        for check in checks:
            if check.outcome is Outcome.FAILED:
                head = group_of[check.check][0]
                missed[check.outcome, head.check].append(check)
            elif check.outcome is not Outcome.PASSED:
                missed[check.outcome, check.reason].append(check)

        # An exhibit belongs to a fault whose checks are all that failed on it.
        exhibits: list[Exhibit] = []
        if homework.work and has_hints:
            for exhibit in homework.work.shown:
                if exhibit.task == task:
                    exhibits.append(exhibit)
        faults = []
        for missed_checks in missed.values():
            names = {check.check for check in missed_checks}
            of_fault = []
            others = []
            for exhibit in exhibits:
                if exhibit.checks and names.issuperset(exhibit.checks):
                    of_fault.append(exhibit)
                else:
                    others.append(exhibit)
            exhibits = others
            group = group_of[missed_checks[0].check]
            faults.append(Fault(missed_checks, group, of_fault))
        parts.append(TaskPart(task, checks, faults, exhibits))
    return parts


@functools.lru_cache(maxsize=256)  # the sentences of checks are on every page
def quoted(text: str) -> Markup:
    """Return a text as HTML, with backticks turned into code and everything else escaped."""
    inert = str(escape(_printable(text)))
    return Markup(re.sub("`([^`\n]+)`", r"<code>\1</code>", inert))


def rows_of(grid: Grid, difference: Grid | None = None) -> Markup:
    """Return a grid's rows as HTML, aligned also as plain text; a difference marks the cells that are off."""
    inert = str(escape(_printable("\n".join(grid.rows))))
    rows = [line.split(" ") for line in inert.split("\n")]
    widths = []
    for column in zip_longest(*rows, fillvalue=""):
        lengths = map(len, column)
        widths.append(max(lengths))
    signs: Sequence[str] = ()
    if difference is not None:
        signs = difference.rows[: len(rows)]

    html_rows = []
    for row, row_signs in zip_longest(rows, signs, fillvalue=""):
        cells = list(map(str.rjust, row, widths))
        marks = row_signs.split(" ")
        is_right = set(marks) == {RIGHT}
        if not row_signs or is_right:
            html_rows.append(f"<tr><td>{'</td><td>'.join(cells)}</td></tr>")
            continue
        html_cells = []
        for sign, cell in zip(marks, cells, strict=False):
            off = ' class="off"'
            if sign == RIGHT:
                off = ""
            html_cells.append(f"<td{off}>{cell}</td>")
        html_rows.append(f"<tr>{''.join(html_cells)}</tr>")
    return Markup("\n".join(html_rows))


def feedback_page(result: SubmissionGrade) -> str:
    """Return the student's page: nothing on it that a student may not see.

    If results cannot be shown, it has only the points and reasons.
    """
    with speaking(result.language):
        with explaining(f"what came out, on the feedback of {result.name}"):
            return render("feedback.html", result=result)
        return render("feedback.html", result=without_work(result))


def without_work(result: SubmissionGrade) -> SubmissionGrade:
    """Return the result without source and exhibits."""
    homeworks = [replace(homework, work=None) for homework in result.homeworks]
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


def warm_templates() -> None:
    """Load the templates of the pages of a submission."""
    for template in ("feedback.html", "submission.html"):
        _environment().get_template(template)


@functools.cache
def _environment() -> jinja2.Environment:
    """Made once, so that templates are not compiled again for each submission."""
    # Imported here: many commands need the words of this module, and no page.
    from autograder.templates import environment

    engine = environment("autograder.feedback", _printable)
    engine.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
    }
    engine.filters |= {
        "points": points_of,
        # A detail may quote a submission: unlike `say` in a template, this leaves it a text that is escaped.
        "translated": lambda detail: say(detail),
        "with_bonus": with_bonus,
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
    return engine


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves.

    What filters such as ``tojson`` made is ready as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if len(value) > LONGEST:
        value = f"{value[:LONGEST]} … {len(value) - LONGEST:,} characters left out"
    if type(value) is str and value.replace("\n", "").isprintable():
        return value
    return for_screen(value, keep="\n\t")
