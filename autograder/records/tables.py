"""The tables of a class: ``grades.csv`` and ``policy.csv``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.intake import Cell, write_table
from autograder.judging import SubmissionResult
from autograder.records.points import Line

COLUMNS = (
    *("submission", "homework", "raw", "due", "submitted_at", "days_late", "late_days_used"),
    *("penalty_percent", "penalty", "manual", "override", "final", "max", "not_marked_yet", "reason"),
)


def write_grades(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write ``grades.csv``, sorted by submission.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    rows: list[tuple[str, list[Cell]]] = []
    for result in results:
        found = (result.homework(homework) for homework in homeworks)
        points = (None if one is None else one.earned for one in found)
        rows.append((result.name, [result.name, str(result.status), *points, result.earned, maximum]))
    head = ["submission", "status", *homeworks, "total", "max"]
    write_table(path, head, (row for _, row in sorted(rows, key=lambda row: row[0])))


def write_policy(path: Path, lines: Iterable[Line]) -> None:
    """Write ``policy.csv``: per submission and homework, how the checks' points became those that count."""
    rows: list[list[Cell]] = []
    for line in lines:
        cells = {
            **vars(line),
            "due": line.due.isoformat() if line.due else "",
            "submitted_at": line.submitted_at.isoformat() if line.submitted_at else "",
            "max": line.maximum,
            "not_marked_yet": ", ".join(line.awaiting),
            "reason": " ".join(line.reasons),
        }
        rows.append([cells[column] for column in COLUMNS])
    write_table(path, COLUMNS, rows)
