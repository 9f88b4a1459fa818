"""The history of a gradebook: each time that somebody graded into it."""

from __future__ import annotations

import datetime as dt
import json
import platform
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version

from autograder import __version__
from autograder.gradebook.names import from_text
from autograder.homework.course import LIBRARIES


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
