"""Pages for people: how templates are filled, and the student's own page."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import jinja2

from autograder.exports.wording import (
    SIGNS,
    escaped,
    note_lines,
    points_of,
    reason_for_student,
    short_name,
)
from autograder.grading.results import HomeworkResult, SubmissionResult
from autograder.templates import environment

BUFFERED = 64


def write_feedback(path: Path, result: SubmissionResult) -> None:
    """Write the student's page: nothing on it that a student may not see."""
    path.write_text(render("feedback.html", result=result), encoding="utf-8")


def page(path: Path, template: str, **values: object) -> None:
    """Write a page piece by piece; whoever opens it meanwhile still finds the whole earlier one."""
    unfinished = path.with_name(f"{path.name}.part")
    stream = _environment().get_template(template).stream(**values)
    stream.enable_buffering(BUFFERED)
    with unfinished.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(stream)
    os.replace(unfinished, path)


def render(template: str, **values: object) -> str:
    """Return a template of this room with its values, all of them escaped."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    """Made once, so that a template is not compiled anew for each submission of a class."""
    own = environment("autograder.exports", _printable)
    own.filters |= {
        "points": points_of,
        "notes": note_lines,
        "reason": reason_for_student,
        "sign": lambda check: SIGNS[check.outcome],
        "tasks": _tasks,
        "short": short_name,
    }
    return own


def _tasks(homework: HomeworkResult) -> list[str]:
    return list(dict.fromkeys(check.task for check in homework.checks))


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves."""
    if not isinstance(value, str) or (type(value) is str and value.isprintable()):
        return value
    return escaped(value, keep="\n\t")
