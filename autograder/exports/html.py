"""Pages for people: a feedback page per submission for the student, a report on the class for the staff."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import jinja2

from autograder.exports.wording import SIGNS, points_of, reason_for_student, short_name
from autograder.grading.results import HomeworkResult, SubmissionResult


def write_feedback(path: Path, result: SubmissionResult) -> None:
    """Write the student's page: nothing on it that a student may not see."""
    path.write_text(_render("feedback.html", result=result), encoding="utf-8")


def write_report(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write the staff's page: everyone's points, the most frequent mistakes, and all details."""
    rows = sorted(results, key=lambda result: result.name)
    page = _render(
        "report.html",
        results=rows,
        homeworks=homeworks,
        maximum=maximum,
        statuses=Counter(str(result.status) for result in rows),
        misconceptions=_misconceptions(rows),
    )
    path.write_text(page, encoding="utf-8", errors="backslashreplace")


def _misconceptions(results: Sequence[SubmissionResult]) -> list[tuple[str, int]]:
    """Count in how many hand-ins each misconception was found."""
    counts = Counter(
        label
        for result in results
        for homework in result.homeworks
        for label in {one for check in homework.checks for one in check.misconceptions[:1]}
    )
    return counts.most_common()


def _render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    """Made once, so that a template is not compiled anew for each submission of a class."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autograder.exports"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_printable,
    )
    environment.filters |= {
        "points": points_of,
        "reason": reason_for_student,
        "sign": lambda check: SIGNS[check.outcome],
        "tasks": _tasks,
        "short": short_name,
    }
    return environment


def _tasks(homework: HomeworkResult) -> list[str]:
    return list(dict.fromkeys(check.task for check in homework.checks))


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves."""
    if not isinstance(value, str):
        return value
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in value)
