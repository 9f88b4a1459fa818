"""``autograder groups``: identical wrong answers, whatever the code looks like."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import (
    MOST_LINES,
    err,
    out,
    print_line,
    show_first,
    table_of,
)
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.gradebook.opening import read_gradebook
from autograder.policy.comments import write_comments
from autograder.report.answer_groups import groups_of
from autograder.untrusted_text import for_screen


def groups(
    folder: GradedFolder,
    homework_ids: OnlyHomeworks = None,
    as_json: bool = Option(
        False, "--json", help="Print a list of objects, members included."
    ),
    comments: Path | None = Option(
        None, metavar="FILE", help="Write a table of comments to fill in, or add to it."
    ),
    course_root: GradedCourseOption = None,
) -> None:
    """List wrong answers, grouped by what they return.

    Two answers are in the same group if they agree within the tolerances on all stored cases of the task, or
    raise the same errors at lines of the same text, whatever else the code looks like. Everything comes from
    gradebook.sqlite; no submission is run. --comments FILE writes a row for each group: enter a text, and
    points if you like, then `autograder policy OUT --comments FILE`. Rows already in FILE are kept.

    Exit status 0: listed. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder groups graded --homework hw1`
    """
    with read_gradebook(folder) as book:
        course = course_of(book, course_root)
        chosen: list[str] = []
        if homework_ids:
            chosen = [homework.id for homework in course.homeworks(homework_ids)]
        groups = groups_of(book.groups, chosen)
        graded_homeworks = {homework for _, homework, _ in book.homeworks()}
        if chosen:
            graded_homeworks.intersection_update(chosen)
        has_failures = any(map(book.groups.has_failed_checks, graded_homeworks))
        if comments is not None:
            write_comments(book, course, comments, groups)
            print_line(
                f"Enter comments in {comments}; then: autograder policy {folder} --comments {comments}",
                err,
            )
    if as_json:
        objects = []
        for group in groups:
            objects.append(
                {
                    "group": group.id,
                    "homework": group.homework,
                    "task": group.task,
                    "size": group.size,
                    "submissions": group.submissions,
                    "misconceptions": group.misconceptions,
                    "reason": group.reason,
                    "representative": group.representative,
                }
            )
        typer.echo(json.dumps(objects, indent=1))
        return

    rows: list[list[str | Text]] = []
    for group in groups:
        common = ", ".join(group.misconceptions)
        if not common:
            common = group.reason.removeprefix(f"`{group.task}` ")
        text = Text(for_screen(common), no_wrap=True, overflow="ellipsis")
        rows.append([group.id, str(group.size), text])
    table = table_of(("group",), ("size",), ("what most of them share",))
    table.columns[0].no_wrap = True
    most = MOST_LINES if out.is_interactive else sys.maxsize
    show_first(table, rows, f"autograder groups {folder} | less", most)
    if not groups and not has_failures:
        print_line("No check of a task failed.")
    elif not groups:
        print_line(
            "No groups: no answer came back for the checks that failed, or none is stored to compare it with."
        )
