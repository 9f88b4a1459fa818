"""The SQLite file: one row per submission, committed as soon as it is graded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.gradebook.records import from_json, to_json
from autograder.grading.results import SubmissionResult
from autograder.sandbox.status import Status

FILE_NAME = "gradebook.sqlite"
FORMAT = 1
BUSY_SECONDS = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS submissions (
    name TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    graders TEXT NOT NULL,
    status TEXT NOT NULL,
    earned REAL,
    result TEXT NOT NULL,
    graded_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
"""


class GradebookError(Exception):
    """The gradebook cannot be used; the message names the file and the remedy."""


class Gradebook:
    """An open gradebook; use ``open_gradebook``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep(self, result: SubmissionResult, content: str, graders: str) -> None:
        """Store a result at once, in place of an earlier one of the same name."""
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO submissions (name, content, graders, status, earned, result)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (_text(result.name), content, graders, result.status, result.earned, to_json(result)),
            )

    def is_current(self, name: str, content: str, graders: str) -> bool:
        """Whether this content has a grade by these graders that is not our fault."""
        row = self._connection.execute(
            "SELECT 1 FROM submissions WHERE name = ? AND content = ? AND graders = ? AND status != ?",
            (_text(name), content, graders, Status.INFRASTRUCTURE_ERROR),
        ).fetchone()
        return row is not None

    def forget_all_but(self, names: set[str]) -> None:
        """Drop the rows of entries that are no longer in the folder."""
        known = {row[0] for row in self._connection.execute("SELECT name FROM submissions")}
        gone = known - {_text(name) for name in names}
        with self._connection:
            self._connection.executemany("DELETE FROM submissions WHERE name = ?", [(n,) for n in gone])

    def results(self) -> Iterator[SubmissionResult]:
        """Yield all results, sorted by name."""
        rows = self._connection.execute("SELECT result FROM submissions ORDER BY name")
        return (from_json(row[0]) for row in rows)

    def setting(self, key: str, default: str) -> str:
        """Return a setting of this gradebook, storing the default when it has none yet."""
        with self._connection:
            self._connection.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (key, default))
        row = self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return str(row[0])

    def set(self, key: str, value: str) -> None:
        """Store a setting."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))


@contextmanager
def open_gradebook(folder: Path, *, fresh: bool = False) -> Iterator[Gradebook]:
    """Open (or begin) the gradebook of an output folder.

    Raises:
        GradebookError: the file is no gradebook, or another ``grade`` is writing to it.
    """
    path = _place(folder, fresh)
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
        book = Gradebook(connection)
        if book.setting("format", str(FORMAT)) != str(FORMAT):
            raise GradebookError(f"{path} was written by another version: choose another --out folder")
        yield book
    except sqlite3.DatabaseError as error:
        raise GradebookError(f"{path} {_trouble(error)}") from error
    finally:
        if connection is not None:
            connection.close()


def _place(folder: Path, fresh: bool) -> Path:
    """Make the folder and return the gradebook's path in it, without an old one where a fresh one is due."""
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for suffix in ("", "-wal", "-shm", "-journal") if fresh else ():
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise GradebookError(
            f"{folder} cannot hold a gradebook ({error.strerror}): choose another --out"
        ) from error
    return path


def _trouble(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"is no gradebook ({error}): move it away or use --fresh"
    return f"is in use or not writable ({error}): try again, or another --out"


def _text(name: str) -> str:
    """File names may hold bytes that are no UTF-8; SQLite holds only text. Two names stay two texts."""
    return name.replace("\\", r"\\").encode("utf-8", "backslashreplace").decode("utf-8")
