"""``policy.csv``: for each hand-in the way from the points of its checks to those that count."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path

from autograder.gradebook.ledger import Line
from autograder.roster.table import Cell, write_table

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
