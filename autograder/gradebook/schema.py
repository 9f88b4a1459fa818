"""The form of the gradebook: its tables, which are in ``schema.sql``, and how names are written in them."""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
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

    def _insert(self, table: str, row: Mapping[str, object]) -> int | None:
        """Insert a row, or replace the one with the same key, and return its number."""
        places = ", ".join(f":{column}" for column in row)
        query = f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({places})"
        return self._execute(query, row).lastrowid


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file, all or nothing; refuse a file of another format."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if has_tables(connection, path):
            return
        # One statement after another: a script would end the transaction.
        for statement in TABLES.read_text("utf-8").split(";\n"):
            connection.execute(statement)
        connection.execute(
            "INSERT OR REPLACE INTO settings VALUES ('format', ?)", (str(FORMAT),)
        )


def has_tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether a file holds a gradebook of this format; False while it is empty.

    Raises:
        NoGradebookError: it holds something else.
        GradebookError: it is a gradebook of another format.
    """
    columns = columns_of(connection)
    if not columns:
        return False
    if not {"settings", "submissions"} <= columns.keys():
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
    versions = ""
    if int(row[0]) != FORMAT:
        versions = f"format {row[0]}, here {FORMAT}"
    elif not _has_columns_of_today(columns):
        versions = f"an early form of format {FORMAT}"
    if versions:
        raise GradebookError(
            f"{path} was written by another version of the kit ({versions}): "
            "use that version, or grade into another --out folder"
        )
    return True


def _has_columns_of_today(columns: Mapping[str, set[str]]) -> bool:
    """Return whether a gradebook has all columns; versions before the first release made some without."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(TABLES.read_text("utf-8"))
        columns_of_today = columns_of(empty)
    lacking: set[str] = set()
    for table, names in columns_of_today.items():
        lacking |= names - columns.get(table, set())
    return not lacking


def columns_of(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """Return the names of the columns of each table."""
    columns: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
        " WHERE m.type = 'table'"
    ):
        columns.setdefault(table, set()).add(column)
    return columns
