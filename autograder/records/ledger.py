"""What the gradebook says about its points: a line per hand-in, and the runs."""

from __future__ import annotations

import datetime as dt
import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from typing import Any

from autograder import __version__
from autograder.course import LIBRARIES
from autograder.records.schema import from_text, to_text


@dataclass(frozen=True)
class Line:
    """From the points of the checks (``raw``) to those that count (``final``); None where the fault is ours.

    ``penalty`` and ``manual`` are points, ``days_late`` are days begun after due date and grace,
    ``late_days_used`` of them cost nothing. ``awaiting`` names questions without a mark.
    """

    submission: str
    homework: str
    raw: float | None
    final: float | None
    maximum: float
    submitted_at: dt.datetime | None = None
    due: dt.datetime | None = None
    days_late: int = 0
    late_days_used: int = 0
    penalty_percent: float = 0.0
    penalty: float = 0.0
    manual: float = 0.0
    override: float | None = None
    awaiting: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def tells_something(self) -> bool:
        """Whether anything beside the checks bears, or will bear, on the points."""
        return bool(self.reasons or self.awaiting)


@dataclass(frozen=True)
class Run:
    """One grading: with which protection, seed and graders, how many at once, and by which command."""

    level: str
    seed: int
    graders: str
    jobs: int
    command: str


@dataclass(frozen=True)
class Origin:
    """What a grade was made from: fingerprints of submission and graders, and what is known of its run."""

    content: str
    graders: str
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


def write_lines(connection: sqlite3.Connection, lines: Iterable[Line]) -> None:
    """Replace all lines."""
    with connection:
        connection.execute("DELETE FROM adjustments")
        connection.executemany(
            "INSERT INTO adjustments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_row, lines)
        )


def read_lines(connection: sqlite3.Connection) -> Iterator[Line]:
    """Yield all lines, sorted by submission and homework."""
    names = [field.name for field in fields(Line)]
    rows = connection.execute(f"SELECT {', '.join(names)} FROM adjustments ORDER BY submission, homework")
    for row in rows:
        cells: dict[str, Any] = dict(zip(names, row, strict=True))
        cells["submission"] = from_text(cells["submission"])
        for column in ("submitted_at", "due"):
            cells[column] = cells[column] and dt.datetime.fromisoformat(cells[column])
        for column in ("awaiting", "reasons"):
            cells[column] = tuple(json.loads(cells[column]))
        yield Line(**cells)


def write_finals(connection: sqlite3.Connection, finals: Mapping[str, float | None]) -> None:
    """Write each submission's total that counts."""
    with connection:
        connection.executemany(
            "UPDATE submissions SET final = ? WHERE name = ?",
            ((total, to_text(name)) for name, total in finals.items()),
        )


def late_days_by_student(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many late days each student has spent in this gradebook."""
    rows = connection.execute(
        "SELECT coalesce(nullif(o.student_id, ''), a.submission), sum(a.late_days_used) FROM adjustments AS a"
        " LEFT JOIN owners AS o ON o.submission = a.submission GROUP BY 1 HAVING sum(a.late_days_used) > 0"
    )
    return {from_text(student): days for student, days in rows}


def _row(line: Line) -> tuple[object, ...]:
    return (
        to_text(line.submission),
        line.homework,
        line.raw,
        line.final,
        line.maximum,
        line.submitted_at and line.submitted_at.isoformat(),
        line.due and line.due.isoformat(),
        line.days_late,
        line.late_days_used,
        line.penalty_percent,
        line.penalty,
        line.manual,
        line.override,
        json.dumps(line.awaiting, ensure_ascii=False),
        json.dumps(line.reasons, ensure_ascii=False),
    )


def begin(connection: sqlite3.Connection, run: Run) -> int:
    """Write that a run has begun and return its number; one that was killed stays without an end."""
    with connection:
        done = connection.execute(
            "INSERT INTO runs (started_at, command, level, seed, graders, jobs, versions)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (_now(), run.command, run.level, run.seed, run.graders, run.jobs, json.dumps(_versions())),
        )
    return int(done.lastrowid or 0)


def end(connection: sqlite3.Connection, number: int, outcomes: Mapping[str, int]) -> None:
    """Write that a run has ended, and how many submissions it gave each status."""
    with connection:
        connection.execute(
            "UPDATE runs SET ended_at = ?, outcomes = ? WHERE id = ?", (_now(), json.dumps(outcomes), number)
        )


def origins(connection: sqlite3.Connection) -> dict[str, Origin]:
    """Return what each grade was made from, by the submission's name."""
    rows = connection.execute(
        "SELECT s.name, s.content, s.graders, r.seed, coalesce(r.versions, '{}')"
        " FROM submissions AS s LEFT JOIN runs AS r ON r.id = s.run"
    )
    return {from_text(row[0]): Origin(row[1], row[2], row[3], json.loads(row[4])) for row in rows}


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in LIBRARIES}
    return {"kit": __version__, "python": platform.python_version(), **libraries}
