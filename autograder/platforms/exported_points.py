"""What was exported last into each column, and whose points have changed since."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from autograder.gradebook.book import Gradebook
from autograder.intake.csv_table import number
from autograder.intake.roster import Student
from autograder.platforms.platform import StudentGrade

Points: TypeAlias = Mapping[str, float | None]
"""The points of students by their identifiers; None is a blank."""


def exported_points(book: Gradebook, target: Sequence[str]) -> Points | None:
    """Return the points of the last export to a target, None where there was none.

    Args:
        book: the gradebook of the grades.
        target: the platform, the column and the homeworks whose points it takes.
    """
    text = book.find_setting(_key(target))
    if text is None:
        return None
    points: dict[str, float | None] = json.loads(text)
    return points


def keep_exported_points(
    book: Gradebook, target: Sequence[str], grades: Sequence[StudentGrade]
) -> None:
    """Keep what was exported to a target, in place of the export before."""
    points = {_identifier(grade.student): grade.points for grade in grades}
    book.set(_key(target), json.dumps(points))


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


def _key(target: Sequence[str]) -> str:
    return f"exported {json.dumps(target)}"


def _identifier(student: Student) -> str:
    return student.student_id or student.number or student.login or student.email
