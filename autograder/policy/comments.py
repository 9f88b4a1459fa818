"""Comments on groups of wrong answers and on submissions: tables that people fill in, read and written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.course.course import Course, id_of
from autograder.course.homework import Homework, by_number
from autograder.csv_table import Cell, points_cell, write_table
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Comment
from autograder.gradebook.groups import AnswerGroup
from autograder.policy.decision_input import TableOutcome
from autograder.policy.names import Names, did_you_mean
from autograder.policy.tables import Row, read_rows, table_rows

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


def take_comments(book: Gradebook, course: Course, path: Path) -> TableOutcome:
    """Keep the comments of a table, replacing earlier ones of the same subject."""
    comments = read_comments(book, course, path).values()
    book.decisions.comment(comments)
    blank = 0
    for comment in comments:
        if not comment.text and comment.points is None:
            blank += 1
    return TableOutcome(len(comments) - blank, blank, ())


def read_comments(
    book: Gradebook, course: Course, path: Path, *, of_course: bool = False
) -> Mapping[Subject, Comment]:
    """Read comments by their subjects: columns text, group or submission, perhaps points, homework, task.

    A table ``of_course`` may name groups and submissions of other gradebooks; their rows change nothing here.
    """
    groups = book.groups.tasks()
    names = Names(book)
    ids = course.homework_ids()

    def read(row: Row) -> tuple[Subject, Comment]:
        group = row["group"]
        points = row.number("points")
        homework_id = row.homework(("", *ids))
        task = row["task"]
        if bool(group) == bool(row["submission"]):
            raise ValueError("name a group or a submission, and not both")

        # A group belongs to one task of one homework.
        if group in groups:
            group_homework, group_task = groups[group]
            if homework_id not in ("", group_homework) or task not in ("", group_task):
                raise ValueError(
                    f"{group} belongs to {', '.join(groups[group])}: leave homework and task blank"
                )
            homework_id = group_homework
            task = group_task
        elif group and not of_course:
            hint = did_you_mean(group, groups, "; `autograder groups OUT` lists them")
            raise ValueError(f"there is no group {group!r}{hint}")
        elif not of_course:
            names.need(row["submission"])

        if not group and not homework_id and (task or points is not None):
            raise ValueError(
                "name the homework: points, and comments on a task, belong to one"
            )
        if homework_id in ids:
            _check_points(course.homework(homework_id), task, points)
        subject = _subject(row, names, ids)
        return subject, Comment(*subject, row["text"], points)

    return read_rows(path, ("text",), read)


def _check_points(homework: Homework, task: str, points: float | None) -> None:
    """Refuse a comment on an unknown task, or with more points than there are."""
    maximum = {task.name: task.points for task in homework.tasks}
    if task and task not in maximum:
        raise ValueError(
            f"{homework.id} has no task {task!r}; it has: {', '.join(maximum)}"
        )
    most = maximum[task] if task else homework.points
    if points is not None and points > most:
        raise ValueError(
            f"{points:g} points are more than the {most:g} of {task or homework.id}"
        )


def _subject(row: Row, names: Names, ids: Sequence[str]) -> Subject:
    """Return the subject of a row; the id of a homework that is not in the course is kept unchanged."""
    if row["group"]:
        return (row["group"], "", "", "")
    homework_id = row["homework"]
    if homework_id:
        with suppress(KitError):
            homework_id = id_of(homework_id, ids)
    return ("", names.find(row["submission"]), homework_id, row["task"])


def comments_for(
    book: Gradebook, course: Course, handed_in: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[Comment]]:
    """Return the comments on each homework of each submission, those on groups first.

    The gradebook's comment on a subject counts before that of the course's table.
    """
    path = course.root / COMMENTS
    by_subject: dict[Subject, Comment] = {}
    if path.is_file():
        by_subject.update(read_comments(book, course, path, of_course=True))
    for comment in book.decisions.comments():
        by_subject[comment.subject] = comment
    if not by_subject:
        return {}

    # A comment on a whole submission appears in its first homework.
    first_homework: dict[str, str] = {}
    for name, homework_id in sorted(handed_in, key=lambda key: by_number(key[1])):
        first_homework.setdefault(name, homework_id)
    groups = book.groups.tasks()
    members = book.groups.members()
    comments = defaultdict[tuple[str, str], list[Comment]](list)
    for comment in sorted(by_subject.values(), key=lambda comment: not comment.group):
        group = comment.group
        homework_id, task = groups.get(group, (comment.homework, comment.task))
        names = members.get(group, ()) if group else [comment.submission]
        for name in names:
            key = (name, homework_id or first_homework.get(name, ""))
            placed = Comment(group, *key, task, comment.text, comment.points)
            comments[key].append(placed)
    return comments


def write_comments(
    book: Gradebook, course: Course, path: Path, groups: Sequence[AnswerGroup]
) -> None:
    """Write a table with a row for each group and each stored comment; rows of an earlier table are kept."""
    rows: list[Row] = []
    if path.is_file():
        rows = [row for _, row in table_rows(path, ("text",))]
    ids = course.homework_ids()
    names = Names(book)
    row_of_subject: dict[Subject, Row] = {}
    for row in rows:
        row_of_subject.setdefault(_subject(row, names, ids), row)

    def row_of(subject: Subject) -> Row:
        """Return the row of a subject, a new one at the end where there is none."""
        if subject not in row_of_subject:
            row = Row(zip(COLUMNS, subject, strict=False))
            row_of_subject[subject] = row
            rows.append(row)
        return row_of_subject[subject]

    for group in groups:
        row = row_of((group.id, "", "", ""))
        row["misconceptions"] = ", ".join(group.misconceptions)
        row["reason"] = group.reason
        row["size"] = str(group.size)
    for comment in book.decisions.comments():
        row = row_of(comment.subject)
        if not row["text"] and not row["points"]:
            row["text"] = comment.text
            row["points"] = points_cell(comment.points)

    # The table's own columns, then columns that somebody added.
    columns = list(COLUMNS)
    for row in rows:
        for column in row:
            if column not in columns:
                columns.append(column)
    cells: list[Sequence[Cell]] = []
    for row in rows:
        cells.append([row[column] for column in columns])
    write_table(path, columns, cells)
