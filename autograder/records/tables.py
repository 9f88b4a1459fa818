"""``policy.csv``: for each hand-in the way from the points of its checks to those that count."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from autograder.intake import Cell, write_table
from autograder.judging import SubmissionResult
from autograder.records.difference import Difference
from autograder.records.ledger import Line


def write_grades(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write the table, sorted by submission.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    rows = sorted((result.name, _grades_row(result, homeworks, maximum)) for result in results)
    write_table(path, ["submission", "status", *homeworks, "total", "max"], (row for _, row in rows))


def _grades_row(result: SubmissionResult, homeworks: Sequence[str], maximum: float) -> list[Cell]:
    found = (result.homework(homework) for homework in homeworks)
    points = (None if one is None else one.earned for one in found)
    return [result.name, str(result.status), *points, result.earned, maximum]


COLUMNS = (
    *("submission", "homework", "raw", "due", "submitted_at", "days_late", "late_days_used"),
    *("penalty_percent", "penalty", "manual", "override", "final", "max", "not_marked_yet", "reason"),
)


def write_policy(path: Path, lines: Iterable[Line]) -> None:
    """Write one row per submission and homework, in the order of the lines."""
    write_table(path, COLUMNS, map(_policy_row, lines))


def _policy_row(line: Line) -> list[Cell]:
    return [
        line.submission,
        line.homework,
        line.raw,
        _time(line.due),
        _time(line.submitted_at),
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


def _time(time: dt.datetime | None) -> str:
    return "" if time is None else time.isoformat()


def write_diff_csv(path: Path, differences: Sequence[Difference]) -> None:
    """Write one row per difference; points that do not exist are blank."""
    write_table(path, [field.name for field in fields(Difference)], map(_row, differences))


def write_diff_json(path: Path, differences: Sequence[Difference]) -> None:
    """Write the differences as a list of objects; points that do not exist are null."""
    text = json.dumps([asdict(one) for one in differences], indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def _row(one: Difference) -> list[Cell]:
    return [one.submission, one.homework, one.subject, one.before, one.after, one.why, one.cause]
