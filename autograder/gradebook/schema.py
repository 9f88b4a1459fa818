"""The form of the gradebook: its tables, which are in ``schema.sql``, and how names are written in them."""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

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
    return re.sub(r"\\(?:(\\)|u([0-9a-f]{4}))", _unescape, text)


def now() -> str:
    """Return the time of UTC as text for a table."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def _unescape(match: re.Match[str]) -> str:
    backslash, digits = match.groups()
    return backslash or chr(int(digits, 16))


sqlite3.register_adapter(dt.datetime, dt.datetime.isoformat)
sqlite3.register_adapter(tuple, lambda values: json.dumps(values, ensure_ascii=False))

FORMAT = 4
ADDED_COLUMNS = (("owners", "login"), ("times", "content"), ("gradings", "late"))
FORMAT_BEFORE = 3
REMEDY = "move it away or use --fresh"
EVERYTHING = "*"
"""Stands for every homework where those are listed that were asked for by name."""
TABLES = Path(__file__).with_name("schema.sql")


class Connection(sqlite3.Connection):
    """A connection whose ``with`` blocks may be nested: the outermost one commits, or takes all of it back."""

    _depth = 0

    def __enter__(self) -> Self:
        self._depth += 1
        return super().__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> Literal[False]:
        self._depth -= 1
        if self._depth:
            return False
        return super().__exit__(kind, error, traceback)


class GradebookPart:
    """An open gradebook, or a part of it; each write is one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        connection.row_factory = sqlite3.Row
        self._connection = connection
        self._execute = connection.execute

    def _write(self, query: str, *rows: Sequence[object] | Mapping[str, object]) -> int:
        """Run a query with each of the rows, and return how many it changed."""
        with self._connection:
            return self._connection.executemany(query, rows).rowcount

    def all_or_nothing(self) -> AbstractContextManager[object]:
        """Return a block of which either everything is written, or (where it raises) nothing."""
        return self._connection

    def _one(self, query: str, *values: object) -> Any:
        """Return the first value that a query finds; None where there is none."""
        row = self._execute(query, values).fetchone()
        return None if row is None else row[0]

    def withdrawn(self) -> dict[str, str]:
        """Return the submissions that somebody withdrew, with the reasons, sorted by name."""
        # Gradebooks that are only read may lack later tables.
        if not self._one("SELECT 1 FROM sqlite_master WHERE name = 'withdrawals'"):
            return {}
        rows = self._execute(
            "SELECT submission, reason FROM withdrawals ORDER BY submission"
        )
        return {from_text(name): reason for name, reason in rows}

    def _insert(self, table: str, row: Mapping[str, object]) -> int | None:
        """Insert a row, or replace the one with the same key, and return its number."""
        places = ", ".join(f":{column}" for column in row)
        query = f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({places})"
        return self._execute(query, row).lastrowid


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file, or of one in the format before, all or nothing."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        file_format = format_of(connection, path)
        # The format before lacks tables, and so do early gradebooks of this one, and nothing else. One statement
        # after another: a script would end the transaction.
        for statement in TABLES.read_text("utf-8").split(";\n"):
            connection.execute(statement)
        if file_format != FORMAT:
            connection.execute(
                "INSERT OR REPLACE INTO settings VALUES ('format', ?)", (str(FORMAT),)
            )
        # Gradebooks of this format were first made without these columns; both forms are read.
        for table, column in ADDED_COLUMNS:
            rows = connection.execute(f"PRAGMA table_info({table})")
            if column not in {row[1] for row in rows}:
                connection.execute(
                    f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
                )


def format_of(connection: sqlite3.Connection, path: Path) -> int | None:
    """Return the format of the tables, this version's or the one before; None while the file is empty."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {row[0] for row in rows}
    if not tables:
        return None
    if not {"settings", "submissions"} <= tables:
        raise NoGradebookError(
            f"{path} is not a gradebook (other tables are in it): {REMEDY}"
        )
    row = connection.execute(
        "SELECT value FROM settings WHERE key = 'format'"
    ).fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise NoGradebookError(
            f"{path} is not a gradebook (it does not name its format): {REMEDY}"
        )
    if int(row[0]) not in (FORMAT_BEFORE, FORMAT):
        raise GradebookError(
            f"{path} was written by another version of the kit (format {row[0]}, here {FORMAT}): "
            "use that version, or grade into another --out folder"
        )
    return int(row[0])
