"""Points by student, for learning platforms to import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import KitError
from autograder.intake import Cell, Kind, Matching, Roster, Student, safe, write_table
from autograder.judging import HomeworkResult, SubmissionResult
from autograder.records.pages import points_of

# What Canvas's importer asks for: "Student" and "ID" first, "Section" last of these, then assignments.
COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_NOT_ASSIGNMENTS = re.compile(r"(Unposted )?(Current|Final|Override) (Score|Grade|Points|Status)|Notes")
COMMENTS = "Feedback comments"  # of Moodle, as are the fields by which it finds a student
_FIELDS = {"ID number": "student_id", "Username": "login", "Email address": "email", "Full name": "name"}


class ExportError(KitError):
    """An export cannot be made; the message says what to do."""


@dataclass(frozen=True)
class StudentGrade:
    """What one student gets: blank points are for a person to fill in, and never mean zero."""

    student: Student
    points: float | None
    homeworks: tuple[HomeworkResult, ...] = ()

    @property
    def comment(self) -> str:
        """The points of each homework in the course's own words; nothing that a student wrote."""
        return "; ".join(
            f"{one.title}: {points_of(one.earned)}/{one.points:g} ({one.status})" for one in self.homeworks
        )


def grades_of(
    roster: Roster,
    matching: Matching,
    results: Iterable[SubmissionResult],
    homework: str | None = None,
    *,
    missing: float | None = None,
) -> list[StudentGrade]:
    """Return one grade per student of the roster, in its order.

    Args:
        roster: the class.
        matching: whose each submission is.
        results: submissions with the points that count.
        homework: the homework that the points are of; all together when not given.
        missing: the points of a student without a submission.
    """
    by_line = {
        student.line: result
        for result in results
        for student in matching.found.get(result.name, ())
        if counts(result, homework)
    }
    grades = []
    for student in roster.students:
        result = by_line.get(student.line)
        if result is None:
            grades.append(StudentGrade(student, missing))
        elif homework is None:
            grades.append(StudentGrade(student, result.earned, result.homeworks))
        else:
            one = result.homework(homework)
            grades.append(StudentGrade(student, None if one is None else one.earned, (one,) if one else ()))
    return grades


def counts(result: SubmissionResult, homework: str | None) -> bool:
    """Whether a submission bears on the points asked for; a fault of ours may hide any homework."""
    return homework is None or bool(result.fault) or result.homework(homework) is not None


def write_unmatched(path: Path, matching: Matching, left_out: Mapping[int, str]) -> None:
    """Write who and what was left to a person: submissions, students without one, and rows left out.

    Args:
        path: the CSV file.
        matching: whose each submission is.
        left_out: by line of the roster, why a student is not in the platform's file.
    """
    rows = [["submission", name, reason] for name, reason in matching.unmatched.items()]
    rows += [_student_row(student, "no submission") for student in matching.missing]
    known = [*matching.missing, *(one for students in matching.found.values() for one in students)]
    rows += [_student_row(one, left_out[one.line]) for one in known if one.line in left_out]
    write_table(path, ["what", "who", "why"], rows)


def _student_row(student: Student, why: str) -> list[str]:
    return ["student", student.label, why]


def column_of(roster: Roster, names: Sequence[str]) -> str | None:
    """Return the roster's own column of one of these names, in any case."""
    wanted = {name.casefold() for name in names}
    return next((column for column in roster.columns if column.casefold() in wanted), None)


def write_canvas(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points into one assignment's column, and return who was left out and why, by line.

    Canvas finds a student by ID, SIS User ID or SIS Login ID, and failing these by name: a row without
    any of them is left out. Names and sections may change so that no cell is a formula: Canvas ignores them.

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


def write_moodle(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points, and return who was left out and why, by line.

    A grading worksheet comes back with all its columns, "Grade" and feedback comments filled in: Moodle
    finds a student by "Identifier". Any other roster becomes a file for "Import grades", where the
    teacher chooses the identifying column. Moodle skips blank grades.
    """
    left_out = {grade.student.line: why for grade in grades if (why := _refusal(grade.student))}
    kept = [grade for grade in grades if grade.student.line not in left_out]
    if roster.kind is Kind.MOODLE:
        rows = [_worksheet_row(roster, one) for one in kept]
        write_table(path, roster.columns, rows)
        return left_out
    fields = {
        name: field for name, field in _FIELDS.items() if any(getattr(one.student, field) for one in kept)
    }
    rows = [
        [*(getattr(one.student, field) for field in fields.values()), one.points, one.comment] for one in kept
    ]
    write_table(path, [*fields, column, "Feedback"], rows)
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


def _refusal(student: Student) -> str:
    known = [key for key in (student.number, student.student_id, student.login, student.email) if key]
    if not known or all(safe(one) != one for one in known):
        return "a spreadsheet would take what identifies the student for a formula: enter the points by hand"
    return ""
