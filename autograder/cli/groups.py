"""``autograder groups``: identical wrong answers, whatever the code looks like."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import (
    MOST_LINES,
    err,
    notes,
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
from autograder.course.course import Course
from autograder.gradebook.book import Gradebook
from autograder.gradebook.opening import read_gradebook
from autograder.intake.naming import listed
from autograder.policy.comments import write_comments
from autograder.report.answer_groups import groups_of
from autograder.sandbox.report import escaped
from autograder.verdict.store import open_store


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
        early = _graded_early(book, course, homework_ids, folder)
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
    notes(early)
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
        text = Text(escaped(common), no_wrap=True, overflow="ellipsis")
        rows.append([group.id, str(group.size), text])
    table = table_of(("group",), ("size",), ("what most of them share",))
    table.columns[0].no_wrap = True
    most = MOST_LINES if out.is_interactive else sys.maxsize
    show_first(table, rows, f"autograder groups {folder} | less", most)
    if not groups and not has_failures:
        print_line("No check of a task failed.")
    elif not groups and not early:
        print_line(
            "No groups: no answer came back for the checks that failed, or none is stored to compare it with."
        )


def _graded_early(
    book: Gradebook,
    course: Course,
    homework_ids: Sequence[str] | None,
    folder: Path,
) -> list[str]:
    """Say whose wrong answers are in no group because an earlier version of the kit graded them."""
    names: set[str] = set()
    for homework in course.homeworks(homework_ids):
        store = open_store(course, homework)
        if store.exists():
            tasks = set()
            for known in store.read():
                if known.case.expects:
                    tasks.add(known.case.task)
            names.update(book.groups.without_answers(homework.id, tasks))
    if not names:
        return []
    return [
        f"graded before the kit kept wrong answers, so in no group ({len(names)}): {listed(sorted(names))}; "
        f"`autograder regrade {folder} --fresh` grades them again"
    ]
