"""Whose points a command changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from rich.text import Text

from autograder.cli.console import say, show_first, table_of
from autograder.course.homework import by_number
from autograder.feedback.pages import points_of, short_name
from autograder.policy.grade import SubmissionGrade
from autograder.sandbox.report import escaped

Key = tuple[str, str]
"""A submission's name and a homework's id."""
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
    rows: list[list[str | Text]] = []
    for key in sorted(before.keys() | after.keys(), key=_by_name_and_number):
        name, homework_id = key
        cells = []
        for side in (before, after):
            cells.append(points_of(side[key]) if key in side else "none")
        if cells[0] == cells[1]:
            if keys is None or key in keys:
                equal += 1
            continue
        row: list[str | Text] = [Text(escaped(name)), short_name(homework_id), *cells]
        if reasons is not None:
            reason = reasons.get(key, "")
            row.append(Text(escaped(reason, keep="\n")))
        rows.append(row)
    last = () if reasons is None else ("why",)
    table = table_of(("submission", "homework"), ("before", "after"), last)
    show_first(table, rows, where)
    say(f"points changed: {len(rows)}, stayed equal: {equal}")
