"""The points that students get in an export, and whose have changed since the one before."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.intake.csv_table import number
from autograder.intake.roster import Student
from autograder.platforms.platform import StudentGrade
from autograder.report.last_exports import Points


def points_by_student(grades: Sequence[StudentGrade]) -> Points:
    """Return the points of students by their identifiers."""
    return {_identifier(grade.student): grade.points for grade in grades}


def changes_since(before: Points | None, grades: Sequence[StudentGrade]) -> list[str]:
    """Return a line for each student whose points are others than in an export before; all if there was none."""
    lines = []
    for grade in grades:
        earlier = None
        if before is not None:
            earlier = before.get(_identifier(grade.student))
        old = number(earlier)
        new = number(grade.points)
        if old == new:
            continue
        change = new or "blank"
        if before is not None:
            change = f"{old or 'blank'} → {change}"
        lines.append(f"{grade.student.label}: {change}")
    return lines


def _identifier(student: Student) -> str:
    return student.student_id or student.number or student.login or student.email
