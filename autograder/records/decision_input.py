"""What people decide about a gradebook, taken from tables and options and checked against its content."""

from __future__ import annotations

import datetime as dt
import difflib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from autograder.course import Course
from autograder.intake import as_read, decimal, read_table
from autograder.records.book import Gradebook
from autograder.records.decisions import Mark, Override
from autograder.records.points import check_of
from autograder.records.policy import PolicyError
from autograder.records.settlement import load_policy

TIMES = ("submission", "submitted_at")
MARKS = ("submission", "homework", "question", "points")
Key = TypeVar("Key")
Value = TypeVar("Value")


class Names:
    """Finds submissions by their name, or by a student id that only one submission has."""

    def __init__(self, book: Gradebook) -> None:
        self._names = book.names()
        owners = {name: owner.student_id for name, owner in book.owners().items() if owner.student_id}
        once = {one for one, times in Counter(owners.values()).items() if times == 1}
        by_id = {student: name for name, student in owners.items() if student in once}
        self._others = {as_read(name): name for name in self._names} | by_id

    def find(self, text: str) -> str:
        """Return a submission's name; a text that names none is returned as it is."""
        return text if text in self._names else self._others.get(text, text)

    def need(self, text: str) -> str:
        """Return a submission's name; where there is none, the ``PolicyError`` names similar ones."""
        found = self.find(text)
        if found not in self._names:
            close = difflib.get_close_matches(text, {**dict.fromkeys(self._names), **self._others}, n=3)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise PolicyError(f"the gradebook has no submission {text!r}{hint}")
        return found

    def unknown(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of the names that no submission has."""
        return tuple(dict.fromkeys(name for name in names if name not in self._names))


@dataclass(frozen=True)
class Taken:
    """What was read from a table: rows kept, rows still blank, and names that no submission has."""

    kept: int
    blank: int
    unknown: tuple[str, ...]


def take_times(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the times of a table; times of students who have not handed in wait for them.

    Raises:
        TableError: the file is not a table.
        PolicyError: a column is missing or a cell cannot be read; the message names the line.
    """
    names = Names(book)
    times = read_times(path, names.find, course.homework_ids(), load_policy(book, course).zone)
    book.decisions.set_times(times)
    return Taken(len(times), 0, names.unknown(name for name, _ in times))


def take_marks(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the marks of a table, but none for a name that no submission has.

    Raises:
        TableError: the file is not a table.
        PolicyError: a column is missing or a cell cannot be read; the message names the line.
    """
    names, results = Names(book), {result.name: result for result in book.results()}

    def most(name: str, homework: str, question: str) -> float | None:
        result = results[name].homework(homework) if name in results else None
        check = None if result is None else check_of(result, question)
        return None if check is None else check.points

    marks = read_marks(path, names.find, course.homework_ids(), most)
    unknown = names.unknown(mark.submission for mark in marks)
    known = [mark for mark in marks if mark.submission not in unknown]
    book.decisions.mark(known)
    marked = sum(mark.points is not None for mark in known)
    return Taken(marked, len(known) - marked, unknown)


def take_override(book: Gradebook, course: Course, override: Override) -> None:
    """Keep an override, once what it overrides is found.

    Raises:
        PolicyError: there is no such submission, task or check, or the points are more than it gives.
        CourseError: there is no such homework.
    """
    override = replace(override, submission=Names(book).need(override.submission))
    homework = course.homework(override.homework)
    result = next((one for one in book.results() if one.name == override.submission), None)
    found = None if result is None else result.homework(homework.id)
    if override.is_whole:
        own = (override.submission, override.homework)
        marks = [mark for mark in book.decisions.marks() if (mark.submission, mark.homework) == own]
        beside = [mark for mark in marks if found is None or check_of(found, mark.question) is None]
        most = (found or homework).points + sum(mark.maximum for mark in beside)
    elif found is None:
        raise PolicyError(
            f"{override.submission} holds nothing for {override.homework}: to set the points of the whole "
            "homework, leave --task and --check out"
        )
    else:
        named = [(check.check if override.check else check.task, check.points) for check in found.checks]
        wanted = override.check or override.task
        if wanted not in dict(named):
            place = f"{override.homework} of {override.submission}"
            raise PolicyError(f"{place} has no {override.subject}; it has: {', '.join(dict(named))}")
        most = sum(points for name, points in named if name == wanted)
    if override.points > most:
        raise PolicyError(f"{override.points:g} points are more than the {most:g} of {override.subject}")
    book.decisions.override(override)


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

    def homework(self, known: Collection[str]) -> str:
        """Return the id of a homework, which must be a known one."""
        homework = self.text("homework")
        if homework not in known:
            there = ", ".join(filter(None, known))
            raise ValueError(f"there is no homework {self.needed('homework')!r}; there are: {there}")
        return homework

    def time(self, column: str, zone: dt.tzinfo | None) -> dt.datetime:
        """Return a time; one without a zone gets the one given."""
        text = self.needed(column)
        try:
            time = dt.datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{column} is {text!r}, but it is a time such as 2027-01-31T23:59:00Z") from None
        if time.tzinfo is None and zone is None:
            raise ValueError(f"{column} {text!r} has no time zone: write one, or set time_zone in the policy")
        return time if time.tzinfo else time.replace(tzinfo=zone)

    def number(self, column: str) -> float | None:
        """Return a number that is not negative, or None for a blank cell."""
        text = self.text(column)
        try:
            value = decimal(text) if text else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value < math.inf:
            raise ValueError(f"{column} is {text!r}, but it is a number such as 1.5 or 1,5, not negative")
        return value


def read_times(
    path: Path, name_of: Callable[[str], str], homeworks: Collection[str], zone: dt.tzinfo | None
) -> dict[tuple[str, str], dt.datetime]:
    """Read times of submission: columns submission, submitted_at and, if wanted, homework.

    ``name_of`` finds a submission's name from a cell; a blank homework stands for all; ``zone`` is that of
    times that name none.
    """

    def read(row: Row) -> tuple[tuple[str, str], dt.datetime]:
        homework = row.homework(("", *homeworks))
        return (name_of(row.needed("submission")), homework), row.time("submitted_at", zone)

    return _read(path, TIMES, read)


def read_marks(
    path: Path,
    name_of: Callable[[str], str],
    homeworks: Collection[str],
    maximum_of: Callable[[str, str, str], float | None],
) -> list[Mark]:
    """Read marks: columns submission, homework, question, points and, if wanted, max and comment.

    ``name_of`` finds a submission's name from a cell; ``maximum_of`` says the most that a question gives
    (submission, homework, question), where that is known.
    """

    def read(row: Row) -> tuple[tuple[str, str, str], Mark]:
        name, homework = name_of(row.needed("submission")), row.homework(homeworks)
        question, points = row.needed("question"), row.number("points")
        known, written = maximum_of(name, homework, question), row.number("max")
        most = written if known is None else known
        if most is None:
            raise ValueError(f"the most that question {question!r} gives is unknown: add a column max")
        if points is not None and points > most:
            raise ValueError(f"{points:g} points are more than the {most:g} of {question!r}")
        key = (name, homework, question)
        return key, Mark(*key, points, most, row.text("comment"))

    return list(_read(path, MARKS, read).values())


def _read(path: Path, columns: Sequence[str], read: Callable[[Row], tuple[Key, Value]]) -> dict[Key, Value]:
    """Return what each row says; two rows with the same key would contradict each other."""
    found: dict[Key, Value] = {}
    for number, row in table_rows(path, columns):
        try:
            key, value = read(row)
            if key in found:
                raise ValueError(f"an earlier line is about the same: {key}")
            found[key] = value
        except ValueError as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return found


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not blank, each with the number of its line; no column may be missing."""
    table = read_table(path, lambda header: len(set(header).intersection(columns)))
    missing = [name for name in columns if name not in table.header]
    if missing:
        there = ", ".join(table.header) or "none"
        raise PolicyError(f"{path} lacks the column {', '.join(missing)}; it has: {there}")
    for line, row in table.rows:
        cells = dict.fromkeys(table.header, "") | dict(zip(table.header, map(str.strip, row), strict=False))
        if any(cells.values()):
            yield line, Row(cells)
