"""Points by student, for learning platforms to import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import KitError
from autograder.intake import Cell, Kind, Matching, Roster, Student, safe, write_table
from autograder.judging import HomeworkResult, SubmissionResult
from autograder.records.pages import points_of

# What Canvas's importer asks for: "Student" and "ID" first, "Section" last of these, then assignments.
COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_KEYS = {"number": "ID", "student_id": "SIS User ID", "login": "SIS Login ID"}
_NOT_ASSIGNMENTS = re.compile(r"(Unposted )?(Current|Final|Override) (Score|Grade|Points|Status)|Notes")
# The fields by which Moodle finds a student, "Identifier" in its own worksheet only.
MOODLE_KEYS = {
    "number": "Identifier",
    "student_id": "ID number",
    "login": "Username",
    "email": "Email address",
}
COMMENTS = "Feedback comments"


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
    """Return one grade per student of the roster, in its order, from submissions with the points that count.

    They are the points of one homework or, when none is given, of all together; ``missing`` are those of a
    student without a submission.
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
    """Write what is left to a person: submissions, students without one, and students left out.

    ``left_out`` says, by line of the roster, why a student is not in the platform's file.
    """
    rows = [["submission", name, reason] for name, reason in matching.unmatched.items()]
    rows += [["student", student.label, "no submission"] for student in matching.missing]
    known = [*matching.missing, *(one for students in matching.found.values() for one in students)]
    rows += [["student", one.label, left_out[one.line]] for one in known if one.line in left_out]
    write_table(path, ["what", "who", "why"], rows)


def column_of(roster: Roster, name: str) -> str | None:
    """Return the roster's column of this name, in upper or lower case."""
    return next((column for column in roster.columns if column.casefold() == name.casefold()), None)


def _left_out(grades: Sequence[StudentGrade], platform: str, keys: Mapping[str, str]) -> dict[int, str]:
    """Return whom a platform could not find, by line of the roster, and why."""
    left_out = {}
    *most, last = keys.values()
    for student in (grade.student for grade in grades):
        known = [key for key in (getattr(student, field) for field in keys) if key]
        if not known:
            why = f"{platform} finds nobody without {', '.join(most)} or {last}"
            left_out[student.line] = f"{why}: enter the points by hand"
        elif all(safe(key) != key for key in known):
            left_out[student.line] = "a spreadsheet would take the ID for a formula: enter the points by hand"
    return left_out


def write_canvas(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points into one assignment's column, and return who was left out and why, by line.

    Canvas finds a student by ID, SIS User ID or SIS Login ID, and failing these by name: a row without
    any of them is left out. Names and sections may change so that no cell is a formula: Canvas ignores them.

    Raises:
        ExportError: the roster is Canvas's own and has no such assignment; Canvas would make a new one.
    """
    head = list(COLUMNS)  # the columns that identify students
    if roster.kind is Kind.CANVAS:
        folded = [name.casefold() for name in roster.columns]
        place = folded.index("section") + 1
        head, others = list(roster.columns[:place]), roster.columns[place:]
        if column not in others:
            there = ", ".join(repr(name) for name in others if not _NOT_ASSIGNMENTS.search(name))
            raise ExportError(
                f"{roster.source} has no assignment {column!r}, and Canvas would make a new one: "
                f"--column must be one of {there or 'none, for it lists no assignment'}"
            )
    left_out = _left_out(grades, "Canvas", CANVAS_KEYS)
    rows: list[list[Cell]] = [[row.get(name, "") for name in (*head, column)] for row in roster.extra]
    for grade in grades:
        student = grade.student
        values = (student.name, student.number, student.student_id, student.login, student.section)
        cells = student.cells if roster.kind is Kind.CANVAS else dict(zip(COLUMNS, values, strict=True))
        if student.line not in left_out:
            rows.append([*(cells.get(name, "") for name in head), grade.points])
    write_table(path, [*head, column], rows)
    return left_out


def write_moodle(path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str) -> dict[int, str]:
    """Write the points, and return who was left out and why, by line.

    A grading worksheet comes back with all its columns, "Grade" and feedback comments filled in: Moodle
    finds a student by "Identifier". Any other roster becomes a file for "Import grades", where the
    teacher chooses the identifying column. Moodle skips blank grades.
    """
    left_out = _left_out(grades, "Moodle", MOODLE_KEYS)
    kept = [grade for grade in grades if grade.student.line not in left_out]
    rows: list[list[Cell]]
    if roster.kind is Kind.MOODLE:
        points, comments = column_of(roster, "Grade"), column_of(roster, COMMENTS)
        head, rows = list(roster.columns), []
        for one in kept:
            filled: dict[str | None, Cell] = {points: one.points}
            if one.comment:
                filled[comments] = one.comment
            rows.append([filled.get(name, one.student.cells.get(name, "")) for name in head])
    else:
        fields = {**MOODLE_KEYS, "name": "Full name"}
        del fields["number"]
        used = [field for field in fields if any(getattr(one.student, field) for one in kept)]
        head = [*(fields[field] for field in used), column, "Feedback"]
        rows = [[*(getattr(one.student, field) for field in used), one.points, one.comment] for one in kept]
    write_table(path, head, rows)
    return left_out


def over_the_maximum(roster: Roster, grades: Sequence[StudentGrade]) -> list[StudentGrade]:
    """Return the grades above the worksheet's maximum, which Moodle would silently skip."""
    column = column_of(roster, "Maximum grade")
    if column is None:
        return []
    over = []
    for grade in grades:
        with suppress(ValueError):  # a cell that is not a number sets no maximum
            most = float(grade.student.cells.get(column, "").replace(",", "."))
            if grade.points is not None and grade.points > most:
                over.append(grade)
    return over
