"""``autograder similar``: pairs of submissions whose code is suspiciously alike."""

from __future__ import annotations

import json

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import say, show_first, table_of
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.feedback.pages import short_name
from autograder.gradebook.opening import read_gradebook
from autograder.sandbox.report import escaped
from autograder.similar.similar import SIMILAR, find_similar, write_similar


def similar(
    folder: GradedFolder,
    homework_ids: OnlyHomeworks = None,
    as_json: bool = Option(
        False, "--json", help="Print the pairs as a JSON list of objects."
    ),
    course_root: GradedCourseOption = None,
) -> None:
    """Find pairs of submissions whose code is suspiciously alike.

    Names, comments, white space and the order of functions count for nothing, and neither does what the stub,
    the solution or many others have: short right answers are alike by nature. Writes OUT/report/similar.html,
    where both stand side by side. It proves nothing: look at both, and ask. No submission is run.

    Exit status 0: looked at, whatever was found. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder similar graded`
    """
    with read_gradebook(folder) as book:
        homeworks = course_of(book, course_root).homeworks(homework_ids)
        similarities = list(find_similar(book, homeworks))
        withdrawn = book.withdrawn()
    path = folder / SIMILAR
    write_similar(path, similarities, withdrawn)
    pairs = [pair for similarity in similarities for pair in similarity.pairs]
    if as_json:
        typer.echo(json.dumps(pairs, default=vars, indent=1))
        return
    rows = []
    for pair in pairs:
        cells = [
            short_name(pair.homework),
            *[escaped(name) for name in pair.submissions],
            f"{pair.share:.0%}",
            str(pair.rare),
            str(pair.alone),
        ]
        rows.append([Text(cell) for cell in cells])
    table = table_of(
        ("homework", "submission", "and"), ("alike", "rare fragments", "of nobody else")
    )
    show_first(table, rows, f"{path} shows them all")
    say(
        f"Pairs that are more alike than their class makes likely: {len(pairs)}   {path}"
    )
