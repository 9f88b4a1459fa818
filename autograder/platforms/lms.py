"""Points by student, for learning platforms to import."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.errors import KitError
from autograder.feedback.pages import points_of
from autograder.intake.csv_table import Cell, safe, write_table
from autograder.intake.roster import Matching, Roster, Student
from autograder.intake.submission import Layout
from autograder.verdict.results import HomeworkResult, SubmissionResult

# What Canvas's importer asks for: "Student" and "ID" first, "Section" last of these, then assignments.
COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_KEYS = {"number": "ID", "student_id": "SIS User ID", "login": "SIS Login ID"}
_NOT_ASSIGNMENTS = re.compile(
    r"\b(Current|Final|Override) (Score|Grade|Points|Status)$|^Notes$"
)
# The fields by which Moodle finds a student, "Identifier" in its own worksheet only.
MOODLE_KEYS = {
    "number": "Identifier",
    "student_id": "ID number",
    "login": "Username",
    "email": "Email address",
}
COMMENTS = "Feedback comments"
TABLES = {
    Layout.CANVAS: "an export of Canvas's gradebook",
    Layout.MOODLE: "a grading worksheet of Moodle",
    Layout.GRADESCOPE: "a table of Gradescope",
}


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
            f"{one.title}: {points_of(one.earned)}/{one.points:g} ({one.status})"
            for one in self.homeworks
        )


def graded_in(
    results: Iterable[SubmissionResult], homework: str | None
) -> list[SubmissionResult]:
    """Return what bears on the points of one homework, holding that one alone; of all together for None.

    Raises:
        ExportError: nobody was graded in it, so that a whole class would get zeros or blanks.
    """
    every = list(results)
    graded = Counter(own.homework for one in every for own in one.homeworks)
    if not graded or homework not in (None, *graded):
        there = (
            ", ".join(
                f"{one} (submissions: {count})" for one, count in sorted(graded.items())
            )
            or "nothing"
        )
        missed = homework or "any homework"
        raise ExportError(
            f"no submission was graded in {missed}, so nothing is exported; graded so far: {there}"
        )
    if homework is None:
        return every
    alone = (
        replace(one, homeworks=tuple(filter(None, [one.homework(homework)])))
        for one in every
    )
    return [
        one for one in alone if one.homeworks or one.fault
    ]  # a fault of ours may hide any homework


def grades_of(
    roster: Roster,
    matching: Matching,
    results: Iterable[SubmissionResult],
    *,
    missing: float | None = None,
) -> list[StudentGrade]:
    """Return one grade per student of the roster, in its order, from submissions with the points that count.

    ``missing`` are the points of a student who surely has no submission.
    """
    by_line = {
        student.line: result
        for result in results
        for student in matching.found.get(result.name, ())
    }
    grades = []
    for student in roster.students:
        if result := by_line.get(student.line):
            grades.append(StudentGrade(student, result.earned, result.homeworks))
        else:
            grades.append(
                StudentGrade(student, None if student in matching.doubtful else missing)
            )
    return grades


def write_unmatched(
    path: Path, matching: Matching, left_out: Mapping[int, str]
) -> None:
    """Write what is left to a person: submissions, students without one, and students left out.

    ``left_out`` says, by line of the roster, why a student is not in the platform's file.
    """
    rows = [["submission", name, reason] for name, reason in matching.unmatched.items()]
    why = dict.fromkeys(matching.doubtful, "one of these submissions?")
    rows += [
        ["student", one.label, why.get(one, "no submission")]
        for one in matching.missing
    ]
    known = [
        *matching.missing,
        *(one for students in matching.found.values() for one in students),
    ]
    rows += [
        ["student", one.label, left_out[one.line]]
        for one in known
        if one.line in left_out
    ]
    write_table(path, ["what", "who", "why"], rows)


def column_of(roster: Roster, name: str) -> str | None:
    """Return the roster's column of this name, in upper or lower case."""
    return next(
        (column for column in roster.columns if column.casefold() == name.casefold()),
        None,
    )


def _left_out(
    grades: Sequence[StudentGrade], platform: str, keys: Mapping[str, str]
) -> dict[int, str]:
    """Return whom a platform could not find, by line of the roster, and why."""
    left_out = {}
    *most, last = keys.values()
    for student in (grade.student for grade in grades):
        known = [key for key in (getattr(student, field) for field in keys) if key]
        if not known:
            why = f"{platform} finds nobody without {', '.join(most)} or {last}"
            left_out[student.line] = f"{why}: enter the points by hand"
        elif all(safe(key) != key for key in known):
            left_out[student.line] = (
                "a spreadsheet would take the ID for a formula: enter the points by hand"
            )
    return left_out


def write_canvas(
    path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str
) -> dict[int, str]:
    """Write the points into one assignment's column, and return who was left out and why, by line.

    Canvas finds a student by ID, SIS User ID or SIS Login ID, and failing these by name: a row without
    any of them is left out. Names and sections may change so that no cell is a formula: Canvas ignores them.

    Raises:
        ExportError: the roster is Canvas's own and has no such assignment; Canvas would make a new one.
    """
    head = list(COLUMNS)  # the columns that identify students
    if roster.kind is Layout.CANVAS:
        folded = [name.casefold() for name in roster.columns]
        place = folded.index("section") + 1
        head = list(roster.columns[:place])
        others = [
            name for name in roster.columns[place:] if not _NOT_ASSIGNMENTS.search(name)
        ]
        if column not in others:
            there = ", ".join(map(repr, others))
            raise ExportError(
                f"{roster.source} has no assignment {column!r}, and Canvas would make a new one: "
                f"--column must be one of {there or 'none, for it lists no assignment'}"
            )
    left_out = _left_out(grades, "Canvas", CANVAS_KEYS)
    rows: list[list[Cell]] = [
        [row.get(name, "") for name in (*head, column)] for row in roster.extra
    ]
    for grade in grades:
        student = grade.student
        values = (
            student.name,
            student.number,
            student.student_id,
            student.login,
            student.section,
        )
        cells = (
            student.cells
            if roster.kind is Layout.CANVAS
            else dict(zip(COLUMNS, values, strict=True))
        )
        if student.line not in left_out:
            rows.append([*(cells.get(name, "") for name in head), grade.points])
    write_table(path, [*head, column], rows)
    return left_out


def write_moodle(
    path: Path, roster: Roster, grades: Sequence[StudentGrade], column: str
) -> dict[int, str]:
    """Write the points, and return who was left out and why, by line.

    A grading worksheet comes back with all its columns, "Grade" and feedback comments filled in: Moodle
    finds a student by "Identifier". Any other roster becomes a file for "Import grades", where the
    teacher chooses the identifying column. Moodle skips blank grades.
    """
    left_out = _left_out(grades, "Moodle", MOODLE_KEYS)
    kept = [grade for grade in grades if grade.student.line not in left_out]
    rows: list[list[Cell]]
    if roster.kind is Layout.MOODLE:
        points, comments = column_of(roster, "Grade"), column_of(roster, COMMENTS)
        head, rows = list(roster.columns), []
        for one in kept:
            filled: dict[str | None, Cell] = {points: one.points}
            if one.comment:
                filled[comments] = one.comment
            rows.append(
                [filled.get(name, one.student.cells.get(name, "")) for name in head]
            )
    else:
        fields = {**MOODLE_KEYS, "name": "Full name"}
        del fields["number"]
        used = [
            field
            for field in fields
            if any(getattr(one.student, field) for one in kept)
        ]
        head = [*(fields[field] for field in used), column, "Feedback"]
        rows = [
            [*(getattr(one.student, field) for field in used), one.points, one.comment]
            for one in kept
        ]
    write_table(path, head, rows)
    return left_out


def need_own(roster: Roster, platform: str) -> None:
    """Refuse the table of another platform, where students have other numbers.

    Raises:
        ExportError: it is one.
    """
    if roster.kind not in (platform, Layout.PLAIN):
        raise ExportError(
            f"{roster.source} is {TABLES[roster.kind]}, and --to {platform} does not take it: use "
            f"--to {roster.kind}, or give --roster {TABLES[Layout(platform)]} or a table of your own"
        )


def above_maximum(
    roster: Roster, grades: Sequence[StudentGrade], column: str
) -> Iterator[str]:
    """Say where the platform has another maximum than the homework, and who has more points than it."""
    is_canvas = roster.kind is Layout.CANVAS
    then = (
        "Canvas takes the rest as extra credit"
        if is_canvas
        else "Moodle skips the row: raise it there"
    )
    own, limits = column_of(roster, "Maximum grade") or "", dict[int, float]()
    for student in roster.students:
        # Of Canvas's rows above the students, only "Points Possible" has a number.
        for row in roster.extra if is_canvas else [student.cells]:
            with suppress(ValueError):
                limits[student.line] = float(
                    row.get(column if is_canvas else own, "").replace(",", ".")
                )
    worth = max(sum(one.points for one in grade.homeworks) for grade in grades)
    if worth and limits and worth != (most := max(limits.values())):
        yield f"points are not scaled: the maximum is {worth:g} here and {most:g} on the platform"
    for grade in grades:
        if grade.points is not None and grade.points > limits.get(
            grade.student.line, math.inf
        ):
            yield f"{grade.student.label} has more than the maximum grade, and {then}"
