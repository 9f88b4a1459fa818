"""Whose points a command changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rich.text import Text

from autograder.cli.console import print_line, show_first, table_of
from autograder.course.homework import by_number, short_id
from autograder.policy.grade import SubmissionGrade, points_of
from autograder.untrusted_text import for_screen

Key = tuple[str, str]
"""A submission's name and a homework's id."""
Cell = str | Text
Points = Mapping[Key, float | None]
"""The points that count; None while the grader owes them."""


def points_in(grades: Iterable[SubmissionGrade]) -> Points:
    """Return the points that count, by submission and homework."""
    points: dict[Key, float | None] = {}
    for grade in grades:
        for homework in grade.homeworks:
            points[grade.name, homework.homework] = homework.earned
    return points


def _by_name_and_number(key: Key) -> tuple[str, object]:
    name, homework_id = key
    return name, by_number(homework_id)


def show_changes(
    before: Points,
    after: Points,
    where: str,
    keys: Collection[Key] | None = None,
    reasons: Mapping[Key, str] | None = None,
) -> None:
    """Print whose points are different now, and how many stayed equal.

    Args:
        before: the points before the command.
        after: those after it.
        where: says where all are if there are many.
        keys: those of which it counts how many stayed equal; all by default.
        reasons: why the points are what they are now.
    """
    equal = 0
    rows: list[list[Cell]] = []
    for key in sorted(before.keys() | after.keys(), key=_by_name_and_number):
        name, homework_id = key
        points_before = _points_text(before, key)
        points_after = _points_text(after, key)
        if points_before == points_after:
            if keys is None or key in keys:
                equal += 1
            continue
        submission = Text(for_screen(name))
        homework = short_id(homework_id)
        row: list[Cell] = [submission, homework, points_before, points_after]
        if reasons is not None:
            reason = reasons.get(key, "")
            row.append(Text(for_screen(reason, keep="\n")))
        rows.append(row)
    last_columns: tuple[str, ...] = ()
    if reasons is not None:
        last_columns = ("why",)
    table = table_of(("submission", "homework"), ("before", "after"), last_columns)
    show_first(table, rows, where)
    print_line(f"points changed: {len(rows)}, stayed equal: {equal}")


def _points_text(points: Points, key: Key) -> str:
    if key not in points:
        return "none"
    return points_of(points[key])
