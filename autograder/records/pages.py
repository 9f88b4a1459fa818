"""What pages about results share (words, signs, the template engine), and the report of a class."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import jinja2
from markupsafe import Markup

from autograder.judging import HomeworkResult, Outcome, SubmissionResult, reasons_told_once
from autograder.records.tally import Tally
from autograder.sandbox import escaped
from autograder.templates import environment

PER_PAGE = 200
"""Details of one submission are about 10 kB: a page of them stays one that a browser opens at once."""
PAGES = "report"

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
    """Show control characters in every text, so that a submission's words cannot disguise themselves."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if type(value) is str and value.isprintable():
        return value
    return escaped(value, keep="\n\t")


def write_report(
    path: Path,
    results: Iterable[SubmissionResult],
    homeworks: Sequence[str],
    maximum: float,
    unfinished: str = "",
) -> None:
    """Write the staff's page: everyone's points, the most frequent mistakes, and all details.

    Details of more than 200 submissions go to numbered pages in the folder ``report`` beside it. The results
    are sorted by name and iterated twice, so that a class of any size needs little memory.
    """
    rows: list[dict[str, object]] = []  # all that is held in memory of the submissions' results
    statuses, mistakes, tally = Counter[str](), Counter[str](), Tally()
    for result in results:
        found = [result.homework(homework) for homework in homeworks]
        points = tuple("" if one is None else points_of(one.earned) for one in found)
        row: dict[str, object] = {"name": result.name, "status": str(result.status), "person": result.person}
        rows.append(row | {"points": points, "total": points_of(result.earned)})
        statuses[str(result.status)] += 1
        tally.add(result)
        for one in result.homeworks:  # each misconception once per homework that it was found in
            mistakes.update({name for check in one.checks for name in check.misconceptions})
    paged = len(rows) > PER_PAGE
    _write_pages(path.parent / PAGES, results if paged else ())
    page(
        path,
        "report.html",
        rows=rows,
        statuses=statuses,
        remarks=[*filter(None, [tally.recognition]), *tally.alarm],
        misconceptions=mistakes.most_common(),
        homeworks=homeworks,
        maximum=maximum,
        people=any(row["person"] for row in rows),
        unfinished=unfinished,
        link=lambda number: (
            f"{PAGES}/{(number - 1) // PER_PAGE + 1}.html#s{number}" if paged else f"#s{number}"
        ),
        details=() if paged else enumerate(results, 1),
    )


def _write_pages(folder: Path, results: Iterable[SubmissionResult]) -> None:
    """Write the details page by page; remove pages of a larger class, but nothing that others put there."""
    numbered = enumerate(results, 1)
    written: set[str] = set()
    while details := list(islice(numbered, PER_PAGE)):
        folder.mkdir(exist_ok=True)
        written.add(f"{len(written) + 1}.html")
        page(folder / f"{len(written)}.html", "report_page.html", details=details)
    for path in list(folder.glob("*.html")):
        if path.stem.isdecimal() and path.name not in written:
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
