"""``autograder groups``: wrong answers that are the same, whatever the code looks like."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import MOST_LINES, err, out, say, show_first, table_of
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.gradebook.groups import groups_of
from autograder.gradebook.opening import read_gradebook
from autograder.policy.comments import write_comments
from autograder.sandbox.report import escaped


def groups(
    folder: GradedFolder,
    homework: OnlyHomeworks = None,
    as_json: bool = Option(
        False, "--json", help="Print a list of objects, members included."
    ),
    comments: Path | None = Option(
        None, metavar="FILE", help="Write a table of comments to fill in, or add to it."
    ),
    course: GradedCourseOption = None,
) -> None:
    """List wrong answers in groups of those that return the same.

    Two answers are in one group where they agree within the tolerances on all stored cases of the task, or
    raise the same errors at lines of the same text, whatever else the code looks like. Everything comes from
    gradebook.sqlite; no submission is run. --comments FILE writes a row for each group: enter a text, and
    points if you like, then `autograder policy OUT --comments FILE`. What is in FILE already stays.

    Exit status 0: listed. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder groups graded --homework hw1`
    """
    with read_gradebook(folder) as book:
        own = course_of(book, course)
        found = groups_of(
            book.groups, [one.id for one in own.homeworks(homework)] if homework else ()
        )
        if comments is not None:
            write_comments(book, own, comments, found)
            say(
                f"Enter comments in {comments}; then: autograder policy {folder} --comments {comments}",
                err,
            )
    if as_json:
        keys = (
            "homework",
            "task",
            "size",
            "submissions",
            "misconceptions",
            "reason",
            "representative",
        )
        typer.echo(
            json.dumps(
                [
                    {"group": one.id, **{k: getattr(one, k) for k in keys}}
                    for one in found
                ],
                indent=1,
            )
        )
        return
    table = table_of(("group",), ("size",), ("what most of them share",))
    table.columns[0].no_wrap = True
    told = (
        ", ".join(one.misconceptions) or one.reason.removeprefix(f"`{one.task}` ")
        for one in found
    )
    texts = (Text(escaped(text), no_wrap=True, overflow="ellipsis") for text in told)
    rows = (
        (one.id, str(one.size), text) for one, text in zip(found, texts, strict=True)
    )
    most = MOST_LINES if out.is_interactive else sys.maxsize
    show_first(table, rows, f"autograder groups {folder} | less", most)
    if not found:
        say("No check of a task failed.")
