"""What pages about results share (words, signs, the template engine), and the student's page."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jinja2

from autograder.judging import HomeworkResult, Outcome, SubmissionResult, reasons_told_once
from autograder.sandbox import escaped
from autograder.templates import environment

PAGES = "report"
"""The folder of the pages about single submissions, beside the page about the class."""

SIGNS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.NOT_RUN: "–", Outcome.COLLECTED: "…"}
BUFFERED = 64


def as_sentence(reason: str) -> str:
    """Return why a check gave no points, or nothing; a sentence that begins with a name keeps its letters."""
    begins_with_a_name = "_" in reason.partition(" ")[0]
    return reason if begins_with_a_name else reason[:1].upper() + reason[1:]


def change_lines(homework: HomeworkResult) -> list[str]:
    """Return what was done to the points of the checks, one sentence per change, and what is still open."""
    lines = []
    for change in homework.changes:
        signed = f"{change.points:+g} points: ".replace("-", "−") if change.points else ""
        lines.append(f"{signed}{change.reason}")
    if lines and homework.raw is not None and homework.final != homework.raw:
        lines.insert(0, f"Points from the checks: {homework.raw:g}.")
    if homework.awaiting:
        lines.append(f"Not marked yet, so the points are provisional: {', '.join(homework.awaiting)}.")
    return lines


def note_lines(homework: HomeworkResult) -> list[str]:
    """Return what stands above the checks: notes on the submission, and what was done to its points."""
    return [*homework.notes, *change_lines(homework)]


def short_name(homework_id: str) -> str:
    """Return "hw1" for "hw1_attention_scores", for the head of a narrow column."""
    return homework_id.partition("_")[0]


def page_of(name: str) -> str:
    """Return what the staff's page of a submission is called: safe as a file name, and never another's."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def points_of(earned: float | None) -> str:
    """Return points as text; a dash where there is no fair grade yet."""
    return "–" if earned is None else f"{earned:g}"


def write_feedback(path: Path, result: SubmissionResult) -> None:
    """Write the student's page: nothing on it that a student may not see."""
    path.write_text(render("feedback.html", result=result), encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield where to write what takes a file's place when it is whole; until then the earlier one stays."""
    unfinished = path.with_name(f"{path.name}.part")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def page(path: Path, template: str, **values: object) -> None:
    """Write a page piece by piece."""
    stream = _environment().get_template(template).stream(**values)
    stream.enable_buffering(BUFFERED)
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(stream)


def render(template: str, **values: object) -> str:
    """Return a template of this package filled with values, all of them escaped."""
    return _environment().get_template(template).render(**values)


@functools.cache
def _environment() -> jinja2.Environment:
    """Made once, so that templates are not compiled again for each submission."""
    own = environment("autograder.records", _printable)
    own.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    own.filters |= {
        "points": points_of,
        "notes": note_lines,
        "reasons": lambda homework: {
            check: as_sentence(reason) for check, reason in reasons_told_once(homework.checks).items()
        },
        "sign": lambda check: SIGNS[check.outcome],
        "tasks": lambda homework: list(dict.fromkeys(check.task for check in homework.checks)),
        "short": short_name,
    }
    return own


def _printable(value: object) -> object:
    """Show control characters in every text, so that a submission's words cannot disguise themselves.

    What filters such as ``tojson`` made is ready as it is.
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    if type(value) is str and value.isprintable():
        return value
    return escaped(value, keep="\n\t")
