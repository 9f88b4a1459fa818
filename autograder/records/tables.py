"""The tables of a class: ``grades.csv``, ``policy.csv`` and the differences between two gradebooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, fields
from pathlib import Path

from autograder.intake import Cell, write_table
from autograder.judging import SubmissionResult
from autograder.records.difference import Difference
from autograder.records.points import Line


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


COLUMNS = (
    *("submission", "homework", "raw", "due", "submitted_at", "days_late", "late_days_used"),
    *("penalty_percent", "penalty", "manual", "override", "final", "max", "not_marked_yet", "reason"),
)


def write_policy(path: Path, lines: Iterable[Line]) -> None:
    """Write ``policy.csv``: per submission and homework, how the checks' points became those that count."""
    write_table(path, COLUMNS, map(_policy_row, lines))


def _policy_row(line: Line) -> list[Cell]:
    return [
        line.submission,
        line.homework,
        line.raw,
        line.due.isoformat() if line.due else "",
        line.submitted_at.isoformat() if line.submitted_at else "",
        line.days_late,
        line.late_days_used,
        line.penalty_percent,
        line.penalty,
        line.manual,
        line.override,
        line.final,
        line.maximum,
        ", ".join(line.awaiting),
        " ".join(line.reasons),
    ]


def write_diff_csv(path: Path, differences: Sequence[Difference]) -> None:
    """Write one row per difference; points that do not exist are blank."""
    write_table(
        path, [field.name for field in fields(Difference)], (list(astuple(one)) for one in differences)
    )


def write_diff_json(path: Path, differences: Sequence[Difference]) -> None:
    """Write the differences as a list of objects; points that do not exist are null."""
    text = json.dumps([asdict(one) for one in differences], indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")
