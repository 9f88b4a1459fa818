"""``written.csv``: one row per written answer, which people fill with points and comments.

What people have entered is never lost: a table that is there already is read first and merged.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograder.errors import KitError
from autograder.exports.written import Asked, code_of, is_code
from autograder.policy.tables import table_rows
from autograder.roster.table import as_read, number, write_table

KEYS = ("submission", "homework", "question")
COLUMNS = (*KEYS, "max", "points", "comment")
ENTRIES = ("points", "comment")

Key: TypeAlias = tuple[str, str, str]
Cells: TypeAlias = Mapping[str, str]


class WrittenError(KitError):
    """The table of written answers cannot be merged; the message names the file and the remedy."""


@dataclass(frozen=True)
class Table:
    """The rows to be written, by column; ``orphans`` are marked rows whose answer is gone."""

    columns: Sequence[str]
    rows: Sequence[Cells]
    orphans: Sequence[Key] = ()

    @property
    def by_key(self) -> dict[Key, Cells]:
        """The rows by submission, as it stands in the table, homework and question."""
        return {_key(row): row for row in self.rows}

    @property
    def unmarked(self) -> int:
        """How many rows have no points yet."""
        return sum(not row["points"] for row in self.rows)


def merge_written(
    path: Path, asked: Sequence[Asked], names: Iterable[str], chosen: Sequence[str], *, anonymous: bool
) -> Table:
    """Return the table for these answers, with what people have entered in an earlier one.

    Args:
        path: the earlier table; it may be missing.
        asked: the answers that there are now.
        names: all submissions, to turn codes into names and back.
        chosen: the homeworks that ``asked`` covers; rows of others stay as they are.
        anonymous: whether submissions stand in the table by their codes.

    Raises:
        WrittenError: the earlier table names an answer twice.
        PolicyError: it cannot be read, or lacks a column.
    """
    named = {told: name for name in names for told in (code_of(name), as_read(name))}
    earlier = _read(path, named)
    rows = [_row(one, answer.submission, earlier) for one in asked for answer in one.answers]
    current = {_key(row) for row in rows}
    kept = [
        row
        for key, row in earlier.items()
        if key not in current and (key[1] not in chosen or _is_entered(row))
    ]
    orphans = [_key(row) for row in kept if row["homework"] in chosen]
    extra = [column for row in earlier.values() for column in row if column not in COLUMNS]
    shown = [_shown(row, anonymous) for row in (*rows, *kept)]
    return Table((*COLUMNS, *dict.fromkeys(extra)), shown, orphans)


def write_written(path: Path, table: Table) -> None:
    """Write the table in one step, so that an interruption leaves the earlier one whole."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    rows = ([row.get(column, "") for column in table.columns] for row in table.rows)
    write_table(unfinished, table.columns, rows)
    os.replace(unfinished, path)


def _read(path: Path, named: Mapping[str, str]) -> dict[Key, Cells]:
    """Return the rows of an earlier table by key, with names in place of codes."""
    found: dict[Key, Cells] = {}
    for line, row in table_rows(path, COLUMNS) if path.is_file() else ():
        cells = dict(row.values)
        cells["submission"] = named.get(cells["submission"], cells["submission"])
        if _key(cells) in found:
            raise WrittenError(f"{path}, line {line}: a second row for {' / '.join(_key(cells))}; remove one")
        found[_key(cells)] = cells
    return found


def _row(asked: Asked, submission: str, earlier: Mapping[Key, Cells]) -> Cells:
    key = (submission, asked.homework.id, asked.question.id)
    fresh = {"max": number(asked.question.points), "points": "", "comment": ""}
    return {**dict(zip(KEYS, key, strict=True)), **fresh, **_kept(earlier.get(key, {}))}


def _kept(earlier: Cells) -> Cells:
    return {column: cell for column, cell in earlier.items() if column not in (*KEYS, "max")}


def _is_entered(row: Cells) -> bool:
    return any(row[column] for column in ENTRIES)


def _key(row: Cells) -> Key:
    return row["submission"], row["homework"], row["question"]


def _shown(row: Cells, anonymous: bool) -> Cells:
    name = row["submission"]
    return {**row, "submission": code_of(name)} if anonymous and not is_code(name) else row
