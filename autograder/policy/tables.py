"""Tables that people keep about a class: rows by column, with times and numbers as spreadsheets write them."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from autograder.course.course import id_of
from autograder.csv_table import parse_not_negative, read_table
from autograder.errors import KitError
from autograder.policy.policy import PolicyError

OF_CLASSROOM = ("github_username", "submission_timestamp")
"""Columns of GitHub Classroom's table of grades."""
TIME_COLUMNS = ("submitted_at", "due", "submission_timestamp")
COLUMNS = frozenset(
    (
        *("submission", "homework", "task", "question", "group"),
        *("points", "max", "comment", "text", "group_name"),
        *TIME_COLUMNS,
        *OF_CLASSROOM,
    )
)
"""The columns of tables of times, extensions, marks and comments. People may add others."""
# A date as spreadsheets write it, its year written out; a day of the week or the like is not known.
_LOCAL = re.compile(
    r"(?P<first>\d{1,2})(?P<sign>[./-]) ?(?P<second>\d{1,2})(?P=sign) ?(?P<year>\d{4})"
    r"(?P<rest>(?!\d).*)",
    re.DOTALL,
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sign>[./]) ?(?P<month>\d{1,2})(?P=sign) ?(?P<day>\d{1,2})\.?(?P<rest>(?!\d).*)",
    re.DOTALL,
)
_LOCAL_TIME = re.compile(
    r"(?:,?[ T]\s*(?P<hour>\d{1,2})(?P<rest>[:.]\d\d(?:[:.]\d\d)?)(?:\s*(?P<half>[ap])\.?m\.?)?)?"
    r"(?P<zone>\s*(?:Z|UTC|[+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
Key = TypeVar("Key", bound=tuple[str, ...])
Value = TypeVar("Value")


class Row(dict[str, str]):
    """One row of a table, its values by column, all stripped; a missing cell is empty.

    ``day_first`` says how dates such as 2/5/2027 are meant, None where no date of the table shows it.
    """

    day_first: bool | None = None

    def __missing__(self, column: str) -> str:
        return ""

    def needed(self, column: str) -> str:
        """Return a value that may not be blank."""
        if not self[column]:
            raise ValueError(f"{column} is blank")
        return self[column]

    def homework(self, known: Collection[str]) -> str:
        """Return the id of a homework, which must be a known one; it may be named by its beginning."""
        if "" in known and not self["homework"]:
            return ""
        return id_of(self.needed("homework"), known)

    def time(
        self, column: str, zone: dt.tzinfo | None, of_day: dt.time = dt.time.min
    ) -> dt.datetime:
        """Return a time; one without a zone gets the one given, a bare date the time of day given."""
        written = self.needed(column)
        text = iso_time(written, self.day_first)
        if not text:
            raise ValueError(
                f"{column} is {written!r}, which may be two days, and no other date of the table shows which: "
                "write it as 2027-01-31"
            )
        try:
            time = dt.datetime.fromisoformat(text.replace(" UTC", "Z"))
            with contextlib.suppress(ValueError):
                time = dt.datetime.combine(dt.date.fromisoformat(text), of_day)
        except ValueError:
            raise ValueError(
                f"{column} is {written!r}, but must be a time such as 2027-01-31T23:59:00Z"
            ) from None
        if time.tzinfo is not None:
            return time
        if zone is None:
            raise ValueError(
                f"{column} {written!r} has no time zone: write one, or set time_zone in the policy"
            )
        return time.replace(tzinfo=zone)

    def number(self, column: str) -> float | None:
        """Return a number that is not negative, or None for a blank cell."""
        text = self[column]
        if not text:
            return None
        value = parse_not_negative(text)
        if value is None:
            raise ValueError(
                f"{column} is {text!r}, but must be a number such as 1.5 or 1,5, not negative"
            )
        return value


def iso_time(text: str, day_first: bool | None) -> str:
    """Return a local date, perhaps with a time, as ISO writes it; "" if it may be two days.

    In 5.2.2027 the day is first; in 2/5/2027 and 2-5-2027 either may be. Any other text is returned as it is.

    Args:
        text: a cell.
        day_first: whether the day is first where either may be; None if that is not known.
    """
    matched = _YEAR_FIRST.fullmatch(text)
    if matched is not None:
        month = int(matched["month"])
        day = int(matched["day"])
    else:
        matched = _LOCAL.fullmatch(text)
        if matched is None:
            return text
        first = int(matched["first"])
        second = int(matched["second"])
        is_day_first = _shows_day_first(text)
        if matched["sign"] == ".":
            is_day_first = True
        elif is_day_first is None:
            is_day_first = day_first
        if is_day_first is None and first != second:
            return ""
        day = second
        month = first
        if is_day_first:
            day = first
            month = second
    time = _LOCAL_TIME.fullmatch(matched["rest"].rstrip())
    if time is None:
        return text
    date = f"{matched['year']}-{month:02}-{day:02}"
    if time["hour"] is None:
        return date
    hour = int(time["hour"])
    if time["half"]:
        if not 1 <= hour <= 12:
            return text
        hour %= 12
        if time["half"].casefold() == "p":
            hour += 12
    minutes = time["rest"].replace(".", ":")
    zone = time["zone"].strip().replace("UTC", "Z")
    return f"{date}T{hour:02}{minutes}{zone}"


def _shows_day_first(text: str) -> bool | None:
    """Return whether the day is first in a date such as 31/1/2027; None if it does not show that."""
    matched = _LOCAL.fullmatch(text)
    if matched is None or matched["sign"] == ".":
        return None
    is_day_first = int(matched["first"]) > 12
    is_month_first = int(matched["second"]) > 12
    if is_day_first == is_month_first:
        return None
    return is_day_first


def _days_first(rows: Iterable[Row]) -> bool | None:
    """Return whether days are first in a table's dates; None if no date shows it, or they contradict."""
    orders = set()
    for row in rows:
        for column in TIME_COLUMNS:
            orders.add(_shows_day_first(row[column]))
    orders.discard(None)
    if len(orders) != 1:
        return None
    return orders.pop()


def read_rows(
    path: Path, columns: Sequence[str], read: Callable[[Row], tuple[Key, Value]]
) -> dict[Key, Value]:
    """Return the parsed rows; two rows with the same key would contradict each other."""
    values: dict[Key, Value] = {}
    for number, row in table_rows(path, columns):
        try:
            key, value = read(row)
            if key in values:
                same = ", ".join(filter(None, key))
                raise ValueError(
                    f"an earlier line has the same values: {same}; remove one"
                )
            values[key] = value
        except (ValueError, KitError) as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return values


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not blank, each with the number of its line; no column may be missing.

    Names of columns count in any case, and with blanks for underscores: "Submitted at".
    """

    def known(header: Sequence[str]) -> int:
        return len({column_name(name) for name in header}.intersection(columns))

    table = read_table(path, known)
    header = [column_name(name) for name in table.header]
    missing = []
    for name in columns:
        if name not in header:
            missing.append(name)
    if missing:
        present = ", ".join(table.header) or "none"
        raise PolicyError(
            f"{path} lacks the column {', '.join(missing)}; it has: {present}"
        )
    rows = []
    for line, cells in table.rows:
        stripped = [cell.strip() for cell in cells]
        row = Row(zip_longest(header, stripped, fillvalue=""))
        if any(row.values()):
            rows.append((line, row))
    day_first = _days_first(row for _, row in rows)
    for line, row in rows:
        row.day_first = day_first
        yield line, row


def column_name(name: str) -> str:
    """Return the name of a column that counts, in whatever case it is written; of any other as it is."""
    folded = re.sub(r"\s+", "_", name.strip()).casefold()
    if folded in COLUMNS:
        return folded
    return name
