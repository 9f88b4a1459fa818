"""The tables of the gradebook."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from autograder.errors import KitError


class GradebookError(KitError):
    """The gradebook cannot be used; the message names the file and the remedy."""


class NoGradebookError(GradebookError):
    """The file is of another kind, or damaged."""


def to_text(name: str) -> str:
    """Return a name as text that SQLite can hold; two names never become one text."""
    return name.replace("\\", r"\\").encode("utf-8", "backslashreplace").decode("utf-8")


def from_text(text: str) -> str:
    """Return the name that ``to_text`` wrote."""
    return re.sub(r"\\(?:(\\)|u([0-9a-f]{4}))", lambda m: m[1] or chr(int(m[2], 16)), text)


FORMAT = 2
REMEDY = "move it away or use --fresh"
TABLES = (
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE submissions (
        name TEXT PRIMARY KEY, content TEXT NOT NULL, graders TEXT NOT NULL, status TEXT NOT NULL,
        earned REAL, result TEXT NOT NULL, graded_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        run INTEGER, final REAL, shown TEXT NOT NULL DEFAULT '')""",
    """CREATE TABLE checks (
        submission TEXT NOT NULL, homework TEXT NOT NULL, task TEXT NOT NULL, check_name TEXT NOT NULL,
        outcome TEXT NOT NULL, earned REAL NOT NULL, max REAL NOT NULL, reason TEXT NOT NULL,
        misconceptions TEXT NOT NULL)""",
    "CREATE INDEX checks_by_submission ON checks (submission)",
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT, command TEXT NOT NULL,
        level TEXT NOT NULL, seed INTEGER NOT NULL, graders TEXT NOT NULL, jobs INTEGER NOT NULL,
        versions TEXT NOT NULL, outcomes TEXT NOT NULL DEFAULT '{}')""",
    """CREATE TABLE owners (
        submission TEXT PRIMARY KEY, student_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
        submitted_at TEXT, late INTEGER, attempt INTEGER)""",
    """CREATE TABLE overrides (
        id INTEGER PRIMARY KEY AUTOINCREMENT, submission TEXT NOT NULL, homework TEXT NOT NULL,
        task TEXT NOT NULL, check_name TEXT NOT NULL, points REAL NOT NULL, reason TEXT NOT NULL,
        content TEXT NOT NULL, made_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        UNIQUE (submission, homework, task, check_name))""",
    """CREATE TABLE marks (
        submission TEXT NOT NULL, homework TEXT NOT NULL, question TEXT NOT NULL, points REAL,
        max REAL NOT NULL, comment TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (submission, homework, question))""",
    """CREATE TABLE times (
        submission TEXT NOT NULL, homework TEXT NOT NULL, submitted_at TEXT NOT NULL,
        PRIMARY KEY (submission, homework))""",
    """CREATE TABLE IF NOT EXISTS extensions (
        submission TEXT NOT NULL, homework TEXT NOT NULL, due TEXT NOT NULL,
        PRIMARY KEY (submission, homework))""",
    """CREATE TABLE spent_elsewhere (
        student TEXT NOT NULL, folder TEXT NOT NULL, days INTEGER NOT NULL, PRIMARY KEY (student, folder))""",
    """CREATE TABLE adjustments (
        submission TEXT NOT NULL, homework TEXT NOT NULL, raw REAL, final REAL, maximum REAL NOT NULL,
        submitted_at TEXT, due TEXT, days_late INTEGER NOT NULL, late_days_used INTEGER NOT NULL,
        penalty_percent REAL NOT NULL, penalty REAL NOT NULL, manual REAL NOT NULL, override REAL,
        awaiting TEXT NOT NULL, reasons TEXT NOT NULL, PRIMARY KEY (submission, homework))""",
    """CREATE VIEW grades AS
        SELECT s.name AS submission, o.student_id, o.name AS student, s.status, s.earned AS raw, s.final,
               o.email, o.submitted_at, o.late, o.attempt, s.graded_at
        FROM submissions AS s LEFT JOIN owners AS o ON o.submission = s.name""",
)


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file, all or nothing."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if not is_begun(connection, path):
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO settings VALUES ('format', ?)", (str(FORMAT),))


def is_begun(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file holds our tables; False while it is empty.

    Raises:
        NoGradebookError: the file is a database of another kind.
        GradebookError: another version of the kit wrote it.
    """
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return False
    if not {"settings", "submissions"} <= tables:
        raise NoGradebookError(f"{path} is not a gradebook (other tables are in it): {REMEDY}")
    row = connection.execute("SELECT value FROM settings WHERE key = 'format'").fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise NoGradebookError(f"{path} is not a gradebook (it does not name its format): {REMEDY}")
    if int(row[0]) != FORMAT:
        raise GradebookError(
            f"{path} was written by another version of the kit (format {row[0]}, here {FORMAT}): "
            "use that version, or grade into another --out folder"
        )
    return True
