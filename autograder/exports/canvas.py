"""The CSV that Canvas's gradebook imports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.exports.lms import ExportError, StudentGrade
from autograder.roster.model import Kind, Roster, Student
from autograder.roster.table import Cell, safe, write_table

# What Canvas's importer asks for: "Student" and "ID" first, "Section" last of these, then assignments.
COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_NOT_ASSIGNMENTS = re.compile(r"(Unposted )?(Current|Final|Override) (Score|Grade|Points|Status)|Notes")


def write_canvas(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points into one assignment's column, and return who was left out and why, by line.

    Canvas finds a student by ID, SIS User ID or SIS Login ID, and failing these by name: a row without
    any of them is left out. Names and sections may be changed to be no formulas; Canvas ignores them.

    Raises:
        ExportError: the roster is Canvas's own and has no such assignment; Canvas would make a new one.
    """
    head = _head(roster, column)
    left_out = {grade.student.line: why for grade in grades if (why := _canvas_refusal(grade.student))}
    rows: list[list[Cell]] = [[row.get(name, "") for name in (*head, column)] for row in roster.extra]
    rows += [
        [*(_cells(grade.student, roster).get(name, "") for name in head), grade.points]
        for grade in grades
        if grade.student.line not in left_out
    ]
    write_table(path, [*head, column], rows)
    return left_out


def _head(roster: Roster, column: str) -> list[str]:
    """Return the columns that identify students."""
    if roster.kind is not Kind.CANVAS:
        return list(COLUMNS)
    place = roster.columns.index(next(name for name in roster.columns if name.casefold() == "section")) + 1
    if column not in roster.columns[place:]:
        there = [name for name in roster.columns[place:] if not _NOT_ASSIGNMENTS.search(name)]
        raise ExportError(
            f"{roster.source} has no assignment {column!r}, and Canvas would make a new one: "
            f"--column must be one of {', '.join(map(repr, there)) or 'none, for it lists no assignment'}"
        )
    return list(roster.columns[:place])


def _cells(student: Student, roster: Roster) -> Mapping[str, str]:
    if roster.kind is Kind.CANVAS:
        return student.cells
    values = (student.name, student.number, student.student_id, student.login, student.section)
    return dict(zip(COLUMNS, values, strict=True))


def _canvas_refusal(student: Student) -> str:
    known = [key for key in (student.number, student.student_id, student.login) if key]
    if not known:
        return "Canvas finds nobody without ID, SIS User ID or SIS Login ID: enter the points by hand"
    if all(safe(one) != one for one in known):
        return "a spreadsheet would take the ID for a formula: enter the points by hand"
    return ""
