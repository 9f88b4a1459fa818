"""Read a roster from a CSV file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.roster.columns import IDENTIFYING, MEANINGS, kind_of, meanings
from autograder.roster.model import Kind, Roster, RosterError, Student
from autograder.roster.table import read_table

_EXTRA_OF_CANVAS = re.compile(r"\s*(Points Possible|Manual Posting|Muted)\b", re.IGNORECASE)


def read_roster(path: Path) -> Roster:
    """Return the class that a CSV file lists, one student per row below one row of column names.

    Raises:
        TableError: the file cannot be read.
        RosterError: no column identifies a student, or there is none.
    """
    table = read_table(path, lambda header: len(meanings(header)))
    header = table.header
    found = meanings(header)
    if not found.keys() & set(IDENTIFYING):
        raise RosterError(_no_columns(path, header))
    kind = kind_of(header)
    students, extra = [], []
    for line, row in table.rows:
        cells = dict(zip(header, row, strict=False))
        if kind is Kind.CANVAS and _is_extra(row):
            extra.append(cells)
        elif any(cell.strip() for cell in row):
            students.append(_student(cells, found, line))
    if not students:
        raise RosterError(f"{path} lists no students: export the roster again")
    return Roster(path.name, kind, header, tuple(students), tuple(extra))


def _no_columns(path: Path, header: Sequence[str]) -> str:
    wanted = ", ".join(repr(name) for meaning in IDENTIFYING for name in MEANINGS[meaning][:2])
    there = ", ".join(map(repr, header[:12])) or "none"
    return f"{path} has no column that identifies a student: it has {there}; wanted is one of {wanted}"


def _is_extra(row: Sequence[str]) -> bool:
    """Whether a row of Canvas's export speaks of the assignments and not of a student."""
    filled = [cell for cell in row if cell.strip()]
    return bool(filled) and _EXTRA_OF_CANVAS.match(filled[0]) is not None


def _student(cells: Mapping[str, str], found: Mapping[str, str], line: int) -> Student:
    known = {meaning: cells.get(column, "").strip() for meaning, column in found.items()}
    first, last = known.pop("first", ""), known.pop("last", "")
    name = known.pop("name", "") or " ".join(filter(None, (first, last)))
    return Student(name, **known, line=line, cells=cells)


def keys_of(student: Student) -> Iterator[str]:
    """Yield what identifies a student; Moodle's "Participant 12345" also as its number."""
    participant = re.fullmatch(r"\D*?(\d+)", student.number)
    ids = (student.student_id, student.number, student.login, student.email)
    yield from filter(None, (*ids, participant and participant[1]))
