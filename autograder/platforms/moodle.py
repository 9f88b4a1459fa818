"""Moodle, "Download all submissions": ``Ada Lovelace_12345_assignsubmission_file_``, as folders or flat.

Grades go back as the grading worksheet, or as a table for "Import grades"; feedback as a zip for "Upload
multiple feedback files in a zip".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.csv_table import Cell, write_table
from autograder.intake.download import (
    Item,
    Named,
    by_student,
    share,
)
from autograder.intake.naming import as_folder_name
from autograder.intake.roster import Roster, Student
from autograder.intake.submission import Discovery, SubmissionPart
from autograder.platforms.grades import column_of, unidentified
from autograder.platforms.moodle_worksheet import participants, worksheet_columns
from autograder.platforms.platform import Export, ExportError, Platform, StudentGrade
from autograder.report.exports import FEEDBACK

# The form follows mod_assign's downloader: the full name with spaces for underscores, or "Participant" where
# marking is blind, or a team's name; the number of the participant or team; the kind of submission. Newer
# versions leave out the last underscore of a folder, and everybody without a team shares one without number.
_FORM = re.compile(
    r"(?P<name>.*?)(?:_(?P<id>\d{1,19}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
_WORKSHEET_COLUMNS = {"identifier", "grade", "last modified (grade)"}
# The fields by which Moodle finds a student, "Identifier" in its own worksheet only.
_KEYS = {
    "number": "Identifier",
    "student_id": "ID number",
    "login": "Username",
    "email": "Email address",
}
_FIELDS = ("number", "student_id", "name", "email", "group")


class Moodle(Platform):
    """Moodle: downloads by participant, the grading worksheet and the grader report."""

    name = "moodle"
    title = "Moodle"
    example = "Ada Lovelace_12345_assignsubmission_file_"
    codes: Mapping[str, str] = {
        f"{word}_": f"{word}_ and a number are Moodle's code for a student in an anonymous "
        "assignment. The grading worksheet has it in its first column: pass it as --roster to export points"
        for word in participants()
    }
    table_title = "a grading worksheet of Moodle"
    teams_share_numbers = True
    takes_grades = True
    above_maximum = "Moodle skips these rows, so raise it there"
    nameless = (
        "Moodle needs the participant's number: give its grading worksheet as --roster"
    )

    def is_named(self, item: Item) -> bool:
        return _FORM.fullmatch(item.name) is not None

    def is_download(self, items: Sequence[Item]) -> bool:
        return share(items, _FORM.fullmatch) >= 0.5

    def read(self, items: Sequence[Item], stubs: Collection[str] = ()) -> Discovery:
        """Put together what each student submitted, as files and as online text."""
        return by_student(items, _FORM.fullmatch, _parts)

    def roster_columns(
        self, columns: Mapping[str, str]
    ) -> Mapping[str, str | None] | None:
        if columns.keys() >= _WORKSHEET_COLUMNS:
            return {}
        return None

    def roster_columns_by_form(
        self, header: Sequence[str], rows: Sequence[Mapping[str, str]]
    ) -> Mapping[str, str | None] | None:
        """Recognise a grading worksheet in another language."""
        columns = worksheet_columns(header, rows)
        if columns is None:
            return None
        return {field: columns[field] for field in _FIELDS}

    def column(self, roster: Roster, column: str | None) -> str:
        if column and roster.kind == self.name:
            raise ExportError(
                f"{roster.source} has its own column for points: leave --column out"
            )
        return super().column(roster, column)

    def write_grades(
        self,
        folder: Path,
        roster: Roster,
        grades: Sequence[StudentGrade],
        column: str,
    ) -> Export:
        """Write the points into ``moodle.csv``.

        A grading worksheet comes back with all its columns under their own titles, points and feedback
        comments filled in: Moodle finds a student by the number, and columns by titles in its language. Any
        other roster becomes a file for "Import grades", where the teacher chooses the identifying column.
        Moodle skips blank grades.
        """
        left_out = unidentified(grades, self.title, _KEYS)
        identified = []
        for grade in grades:
            if grade.student.line not in left_out:
                identified.append(grade)
        if roster.kind == self.name:
            header, rows = _worksheet(roster, identified)
        else:
            header, rows = _import_table(identified, column)
        path = folder / "moodle.csv"
        write_table(path, header, rows)
        return Export(path, left_out)

    def maxima(self, roster: Roster, column: str) -> Mapping[int, float]:
        maximum_column = _column(roster, "maximum", "Maximum grade") or ""
        maxima = {}
        for student in roster.students:
            text = student.cells.get(maximum_column, "")
            with suppress(ValueError):
                maxima[student.line] = float(text.replace(",", "."))
        return maxima

    def check_feedback(self, download: Path | None) -> None:
        """Moodle finds students by their numbers, so it needs no download."""

    def feedback_name(self, student: Student, uploads: Sequence[str]) -> str:
        """Return the name of a student's file in a zip of feedback files.

        Moodle reads a name up to its fourth underscore: somebody's name, which does not count, the
        participant's number, and what was handed in; the rest is the name that the student sees
        (``is_valid_filename_for_import`` in ``mod/assign/feedback/file/importziplib.php``; it ignores names
        that begin with "." or "~").
        """
        number = re.search(r"\d+", student.number)
        if number is None:
            return ""
        name = (
            as_folder_name(student.name).replace("_", " ").strip(" .~") or "Participant"
        )
        return f"{name}_{number[0]}_assignsubmission_file_{FEEDBACK}"


def _parts(items: Sequence[Named]) -> Iterator[SubmissionPart]:
    for item, parsed in items:
        yield item.part(parsed["file"])


def _column(roster: Roster, role: str, title: str) -> str | None:
    """Return a worksheet's column by its English title, else by its role in any language."""
    column = column_of(roster, title)
    if column is not None or roster.kind != Moodle.name:
        return column
    rows = [student.cells for student in roster.students]
    columns = worksheet_columns(roster.columns, rows)
    if columns is None:
        return None
    return columns[role]


def _worksheet(
    roster: Roster, grades: Sequence[StudentGrade]
) -> tuple[list[str], list[list[Cell]]]:
    """Fill in points and comments; a comment that is there already stays if there is no new one."""
    grade_column = _column(roster, "grade", "Grade")
    comment_column = _column(roster, "comments", "Feedback comments")
    rows: list[list[Cell]] = []
    for grade in grades:
        cells: dict[str | None, Cell] = dict(grade.student.cells.items())
        cells[grade_column] = grade.points
        if grade.comment:
            cells[comment_column] = grade.comment
        rows.append([cells.get(name, "") for name in roster.columns])
    return list(roster.columns), rows


def _import_table(
    grades: Sequence[StudentGrade], column: str
) -> tuple[list[str], list[list[Cell]]]:
    """Lay out a table with all columns that identify students, points and comments."""
    fields = {
        "student_id": _KEYS["student_id"],
        "login": _KEYS["login"],
        "email": _KEYS["email"],
        "name": "Full name",
    }
    used_fields = []
    header = []
    for field, title in fields.items():
        if any(getattr(grade.student, field) for grade in grades):
            used_fields.append(field)
            header.append(title)
    header += [column, "Feedback"]
    rows: list[list[Cell]] = []
    for grade in grades:
        identity = [getattr(grade.student, field) for field in used_fields]
        rows.append([*identity, grade.points, grade.comment])
    return header, rows
