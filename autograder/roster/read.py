"""Read a roster from a CSV file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.roster.columns import IDENTIFYING, MEANINGS, kind_of, meanings
from autograder.roster.model import Kind, Roster, RosterError, Student

MAX_BYTES = 32 << 20
_SEPARATORS = ",;\t"
_EXTRA_OF_CANVAS = re.compile(r"\s*(Points Possible|Manual Posting|Muted)\b", re.IGNORECASE)


def read_roster(path: Path) -> Roster:
    """Return the class that a CSV file lists, one student per row below one row of column names.

    Raises:
        RosterError: the file cannot be read, or no column identifies a student.
    """
    header, rows = _table(path)
    found = meanings(header)
    if not found.keys() & set(IDENTIFYING):
        raise RosterError(_no_columns(path, header))
    kind = kind_of(header)
    students, extra = [], []
    for line, row in rows:
        cells = dict(zip(header, row, strict=False))
        if kind is Kind.CANVAS and _is_extra(row):
            extra.append(cells)
        elif any(cell.strip() for cell in row):
            students.append(_student(cells, found, line))
    if not students:
        raise RosterError(f"{path} lists no students: export the roster again")
    return Roster(path.name, kind, tuple(header), tuple(students), tuple(extra))


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    text = _text(path)
    first = text.splitlines()[0] if text else ""
    separator = max(_SEPARATORS, key=lambda one: len(meanings(next(csv.reader([first], delimiter=one), []))))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        header = [column.strip() for column in next(reader, [])]
        return header, [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise RosterError(f"{path}, line {reader.line_num}: {error}; export the roster again") from error


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()[: MAX_BYTES + 1]
    except OSError as error:
        raise RosterError(f"{path} cannot be read ({error.strerror}): check --roster") from error
    if len(data) > MAX_BYTES:
        raise RosterError(f"{path} is larger than {MAX_BYTES >> 20} MiB, and so no roster: check --roster")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise RosterError(f"{path} is not in UTF-8: save it as CSV UTF-8") from error


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
