"""``grades.csv``: one row per entry, one column per homework, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.grading.results import SubmissionResult

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_grades(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write the table, sorted by submission.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    rows = sorted(results, key=lambda result: result.name)
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerow(["submission", "status", *homeworks, "total", "max"])
        for result in rows:
            writer.writerow(
                [
                    _safe(result.name),
                    str(result.status),
                    *(_points(result, homework) for homework in homeworks),
                    _number(result.earned),
                    _number(maximum),
                ]
            )


def _points(result: SubmissionResult, homework_id: str) -> str:
    found = result.homework(homework_id)
    return "" if found is None else _number(found.earned)


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def _safe(text: str) -> str:
    """A cell that a spreadsheet would take for a formula gets an apostrophe in front."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
