"""Read the tables that people fill in: times of submission, and marks of written answers."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from autograder.intake import read_table
from autograder.records.decisions import Mark
from autograder.records.policy import PolicyError

TIMES = ("submission", "submitted_at")
MARKS = ("submission", "homework", "question", "points")
Read = TypeVar("Read")


@dataclass(frozen=True)
class Row:
    """One row of a table, its values by column, all stripped; a missing cell is empty."""

    values: Mapping[str, str]

    def text(self, column: str) -> str:
        """Return a value; "" where the row has none."""
        return self.values.get(column, "")

    def needed(self, column: str) -> str:
        """Return a value that may not be blank."""
        if not self.text(column):
            raise ValueError(f"{column} is blank")
        return self.text(column)

    def number(self, column: str) -> float | None:
        """Return a number that is not negative, or None for a blank cell."""
        text = self.text(column)
        try:
            value = float(text) if text else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value < math.inf:
            raise ValueError(f"{column} is {text!r}, but it is a number such as 1.5, not negative")
        return value


def read_times(
    path: Path, name_of: Callable[[str], str], homeworks: Collection[str], zone: dt.tzinfo | None
) -> dict[tuple[str, str], dt.datetime]:
    """Read times of submission: columns submission, submitted_at and, if wanted, homework.

    Args:
        path: the CSV file.
        name_of: finds a submission's name from a cell.
        homeworks: the ids that a homework may have; a blank one means all.
        zone: the zone of times that name none.

    Raises:
        TableError: the file is not a table.
        PolicyError: a column is missing or a cell cannot be read; the message names the line.
    """

    def read(row: Row) -> tuple[tuple[str, str], dt.datetime]:
        homework = _known(row.text("homework"), ("", *homeworks))
        return (name_of(row.needed("submission")), homework), _time(row.needed("submitted_at"), zone)

    return dict(_read(path, TIMES, read, lambda found: found[0]))


def read_marks(
    path: Path,
    name_of: Callable[[str], str],
    homeworks: Collection[str],
    maximum_of: Callable[[str, str, str], float | None],
) -> list[Mark]:
    """Read marks: columns submission, homework, question, points and, if wanted, max and comment.

    Args:
        path: the CSV file.
        name_of: finds a submission's name from a cell.
        homeworks: the ids that a homework may have.
        maximum_of: the most that a question gives (submission, homework, question), where that is known.

    Raises:
        TableError: the file is not a table.
        PolicyError: a column is missing or a cell cannot be read; the message names the line.
    """

    def read(row: Row) -> Mark:
        name, homework = name_of(row.needed("submission")), _known(row.needed("homework"), homeworks)
        question, points = row.needed("question"), row.number("points")
        asked, told = maximum_of(name, homework, question), row.number("max")
        most = told if asked is None else asked
        if most is None:
            raise ValueError(f"the most that question {question!r} gives is unknown: add a column max")
        if points is not None and points > most:
            raise ValueError(f"{points:g} points are more than the {most:g} of {question!r}")
        return Mark(name, homework, question, points, most, row.text("comment"))

    return list(_read(path, MARKS, read, lambda mark: (mark.submission, mark.homework, mark.question)))


def _read(
    path: Path, columns: Sequence[str], read: Callable[[Row], Read], key_of: Callable[[Read], object]
) -> Iterator[Read]:
    """Yield what each row says; two rows about the same thing would contradict each other."""
    seen = set()
    for number, row in table_rows(path, columns):
        try:
            found = read(row)
            if key_of(found) in seen:
                raise ValueError(f"an earlier line is about the same: {key_of(found)}")
            seen.add(key_of(found))
            yield found
        except ValueError as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not blank, each with the number of its line.

    Raises:
        TableError: the file cannot be read.
        PolicyError: a column is missing.
    """
    table = read_table(path, lambda header: len(set(header).intersection(columns)))
    missing = [name for name in columns if name not in table.header]
    if missing:
        there = ", ".join(table.header) or "none"
        raise PolicyError(f"{path} lacks the column {', '.join(missing)}; it has: {there}")
    for line, row in table.rows:
        cells = dict.fromkeys(table.header, "") | dict(zip(table.header, map(str.strip, row), strict=False))
        if any(cells.values()):
            yield line, Row(cells)


def _time(text: str, zone: dt.tzinfo | None) -> dt.datetime:
    try:
        time = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"submitted_at is {text!r}, but it is a time such as 2027-01-31T23:59:00Z") from None
    if time.tzinfo is None and zone is None:
        raise ValueError(
            f"submitted_at {text!r} tells no time zone: write one, or set time_zone in the policy"
        )
    return time if time.tzinfo else time.replace(tzinfo=zone)


def _known(homework: str, known: Collection[str]) -> str:
    if homework not in known:
        raise ValueError(f"there is no homework {homework!r}; there are: {', '.join(filter(None, known))}")
    return homework
