"""The CSV that Moodle imports: its own grading worksheet filled in, or one for the grader report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.exports.lms import StudentGrade, column_of
from autograder.roster.model import Kind, Roster, Student
from autograder.roster.table import Cell, safe, write_table

COMMENTS = "Feedback comments"
_FIELDS = {
    "ID number": "student_id",
    "Username": "login",
    "Email address": "email",
    "Full name": "name",
}


def write_moodle(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points, and return who was left out and why, by line.

    A grading worksheet comes back with all its columns, "Grade" and feedback comments filled in: Moodle
    finds a student by "Identifier". Any other roster becomes a file for "Import grades", where the
    teacher chooses the identifying column. Moodle skips blank grades.
    """
    left_out = {grade.student.line: why for grade in grades if (why := _refusal(grade.student))}
    kept = [grade for grade in grades if grade.student.line not in left_out]
    if roster.kind is Kind.MOODLE:
        write_table(path, roster.columns, [_worksheet_row(roster, one) for one in kept])
    else:
        _write_import(path, kept, column)
    return left_out


def over_the_maximum(roster: Roster, grades: Sequence[StudentGrade]) -> list[StudentGrade]:
    """Return the grades above the worksheet's maximum, which Moodle would skip without a word."""
    column = column_of(roster, ["Maximum grade"])
    if column is None:
        return []
    return [
        grade
        for grade in grades
        if grade.points is not None and grade.points > _float(grade.student.cells.get(column, ""))
    ]


def _float(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return float("inf")


def _worksheet_row(roster: Roster, grade: StudentGrade) -> list[Cell]:
    filled: dict[str | None, Cell] = {column_of(roster, ["Grade"]): grade.points}
    if grade.comment:
        filled[column_of(roster, [COMMENTS])] = grade.comment
    return [filled.get(name, grade.student.cells.get(name, "")) for name in roster.columns]


def _write_import(path: Path, grades: Sequence[StudentGrade], column: str) -> None:
    fields = {
        name: field
        for name, field in _FIELDS.items()
        if any(getattr(grade.student, field) for grade in grades)
    }
    rows = [
        [*(getattr(grade.student, field) for field in fields.values()), grade.points, grade.comment]
        for grade in grades
    ]
    write_table(path, [*fields, column, "Feedback"], rows)


def _refusal(student: Student) -> str:
    known = [key for key in (student.number, student.student_id, student.login, student.email) if key]
    if not known or all(safe(one) != one for one in known):
        return "a spreadsheet would take what identifies the student for a formula: enter the points by hand"
    return ""
