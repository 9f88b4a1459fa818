"""Comments on groups of wrong answers and on submissions: tables that people fill in, read and written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.course.course import Course, id_of
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Comment
from autograder.gradebook.groups import AnswerGroup
from autograder.intake.csv_table import Cell, number, write_table
from autograder.policy.decision_input import (
    Names,
    Row,
    Taken,
    did_you_mean,
    read_rows,
    table_rows,
)

COMMENTS = "comments.csv"
COLUMNS = (
    "group",
    "submission",
    "homework",
    "task",
    "text",
    "points",
    "size",
    "misconceptions",
    "reason",
)
Subject = tuple[str, str, str, str]


def take_comments(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the comments of a table, replacing earlier ones of the same subject."""
    comments = read_comments(book, course, path).values()
    book.decisions.comment(comments)
    kept = sum(bool(one.text) or one.points is not None for one in comments)
    return Taken(kept, len(comments) - kept, ())


def read_comments(
    book: Gradebook, course: Course, path: Path, *, of_course: bool = False
) -> Mapping[Subject, Comment]:
    """Read comments by their subjects: columns text, group or submission, perhaps points, homework, task.

    A table ``of_course`` may name groups and submissions of other gradebooks; their rows change nothing here.
    """
    groups, names, ids = book.groups.tasks(), Names(book), course.homework_ids()

    def read(row: Row) -> tuple[Subject, Comment]:
        group, points = row["group"], row.number("points")
        homework, task = row.homework(("", *ids)), row["task"]
        if bool(group) == bool(row["submission"]):
            raise ValueError("name a group or a submission, and not both")
        if group in groups:
            if homework not in ("", groups[group][0]) or task not in (
                "",
                groups[group][1],
            ):
                raise ValueError(
                    f"{group} is of {', '.join(groups[group])}: leave homework and task blank"
                )
            homework, task = groups[group]
        elif group and not of_course:
            hint = did_you_mean(group, groups, "; `autograder groups OUT` lists them")
            raise ValueError(f"there is no group {group!r}{hint}")
        elif not of_course:
            names.need(row["submission"])
        if not homework and (task or points is not None) and not group:
            raise ValueError(
                "name the homework: points, and comments on a task, belong to one"
            )
        if homework in ids:
            own = course.homework(homework)
            most = {one.name: one.points for one in own.tasks} | {"": own.points}
            if task not in most:
                raise ValueError(
                    f"{homework} has no task {task!r}; it has: {', '.join(filter(None, most))}"
                )
            if points is not None and points > most[task]:
                raise ValueError(
                    f"{points:g} points are more than the {most[task]:g} of {task or homework}"
                )
        subject = _subject(row, names, ids)
        return subject, Comment(*subject, row["text"], points)

    return read_rows(path, ("text",), read)


def _subject(row: Row, names: Names, ids: Sequence[str]) -> Subject:
    """Return what a row is about; a homework that the course does not have stays as it is written."""
    homework = row["homework"]
    with suppress(KitError):
        homework = homework and id_of(homework, ids)
    on_work = "", names.find(row["submission"]), homework, row["task"]
    return (row["group"], "", "", "") if row["group"] else on_work


def comments_for(
    book: Gradebook, course: Course, handed_in: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[Comment]]:
    """Return the comments on each homework of each submission, those on groups first.

    The gradebook's comment on a subject counts before that of the course's table.
    """
    path, found = (
        course.root / COMMENTS,
        defaultdict[tuple[str, str], list[Comment]](list),
    )
    kept = {one.subject: one for one in book.decisions.comments()}
    table = read_comments(book, course, path, of_course=True) if path.is_file() else {}
    comments = sorted({**table, **kept}.values(), key=lambda one: not one.group)
    if not comments:
        return {}
    groups, members = book.groups.tasks(), book.groups.members()
    first = dict(
        sorted(handed_in, reverse=True)
    )  # where a comment on a whole submission appears
    for one in comments:
        homework, task = groups.get(one.group, (one.homework, one.task))
        for name in members.get(one.group, ()) if one.group else [one.submission]:
            key = name, homework or first.get(name, "")
            found[key].append(Comment(one.group, *key, task, one.text, one.points))
    return found


def write_comments(
    book: Gradebook, course: Course, path: Path, groups: Sequence[AnswerGroup]
) -> None:
    """Write a table with a row for each group and each kept comment; what is in an earlier one stays."""
    rows = [row for _, row in table_rows(path, ("text",))] if path.is_file() else []
    ids, names, by_subject = course.homework_ids(), Names(book), dict[Subject, Row]()
    for row in rows:
        by_subject.setdefault(_subject(row, names, ids), row)

    def row_of(subject: Subject) -> Row:
        if subject not in by_subject:
            rows.append(
                by_subject.setdefault(subject, Row(zip(COLUMNS, subject, strict=False)))
            )
        return by_subject[subject]

    for group in groups:
        told = {
            "misconceptions": ", ".join(group.misconceptions),
            "reason": group.reason,
        }
        row_of((group.id, "", "", "")).update(told, size=str(group.size))
    for kept in book.decisions.comments():
        row = row_of(kept.subject)
        if not row["text"] and not row["points"]:
            row.update(text=kept.text, points=number(kept.points))
    columns = [
        *COLUMNS,
        *dict.fromkeys(one for row in rows for one in row if one not in COLUMNS),
    ]
    cells: Iterable[Sequence[Cell]] = ([row[one] for one in columns] for row in rows)
    write_table(path, columns, cells)
