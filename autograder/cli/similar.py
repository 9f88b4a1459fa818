"""``autograder similar``: submissions whose code is suspiciously alike."""

from __future__ import annotations

import json

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import print_line, show_first, table_of
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    OnlyHomeworks,
    course_of,
)
from autograder.course.homework import short_id
from autograder.gradebook.opening import read_gradebook
from autograder.similar.similar import SIMILAR, Pair, find_similar, write_similar
from autograder.untrusted_text import for_screen


def similar(
    folder: GradedFolder,
    homework_ids: OnlyHomeworks = None,
    as_json: bool = Option(
        False, "--json", help="Print the pairs as a JSON list of objects."
    ),
    course_root: GradedCourseOption = None,
) -> None:
    """Find submissions whose code is suspiciously alike.

    Names, comments, white space and the order of functions are ignored, and so is code that the stub, the
    solution or many others share: short right answers are alike by nature. Writes OUT/report/similar.html,
    which shows them side by side, several similar ones as one group. This is not proof: look at them, and talk
    to the students. No submission is run.

    Exit status 0: done, whatever was found. 2: wrong usage, or a folder without a gradebook.

    Example: `autograder similar graded`
    """
    with read_gradebook(folder) as book:
        homeworks = course_of(book, course_root).homeworks(homework_ids)
        similarities = list(find_similar(book, homeworks))
        withdrawn = book.decisions.withdrawn()
    path = folder / SIMILAR
    write_similar(path, similarities, withdrawn)
    pairs: list[Pair] = []
    for similarity in similarities:
        pairs.extend(similarity.pairs)
    if as_json:
        typer.echo(json.dumps(pairs, default=vars, indent=1))
        return
    rows = []
    for similarity in similarities:
        for cluster in similarity.clusters:
            names = [for_screen(name) for name in cluster.submissions]
            cells = [
                short_id(similarity.homework.id),
                ", ".join(names),
                f"{cluster.percent}%",
                str(cluster.rare),
                str(cluster.alone),
            ]
            rows.append([Text(cell) for cell in cells])
    table = table_of(
        ("homework", "submissions"), ("alike", "rare fragments", "of nobody else")
    )
    show_first(table, rows, f"{path} shows them all")
    print_line(f"Groups of suspiciously similar submissions: {len(rows)}   {path}")
