"""``autograder diff``: whose points differ between two output folders, on which check, and why."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from pathlib import Path

import typer
from rich.text import Text
from typer import Argument, Option

from autograder.cli.console import say, show_first, table_of
from autograder.feedback.pages import points_of, short_name
from autograder.gradebook.opening import read_gradebook
from autograder.intake.csv_table import write_table
from autograder.report.difference import Difference, compare, read_side
from autograder.sandbox.report import escaped

DIFFERENT = 1


def diff(
    before: Path = Argument(
        ..., metavar="OUT1", help="An --out folder of `autograder grade`."
    ),
    after: Path = Argument(..., metavar="OUT2", help="Another one, of the same class."),
    csv_file: Path | None = Option(
        None, "--csv", metavar="FILE", help="Also write the differences as CSV."
    ),
    json_file: Path | None = Option(
        None, "--json", metavar="FILE", help="Also write the differences as JSON."
    ),
) -> None:
    """List whose points differ between two output folders, and why.

    Each line names the check (or the policy) that made the difference, what the student reads, and what has
    changed: the code, the graders (checks, cases, seed, versions) or people's decisions.

    Exit status 0: nobody's points differ. 1: some do. 2: wrong usage.

    Example: `autograder diff graded-monday graded`
    """
    sides = []
    for folder in (before, after):
        with read_gradebook(folder) as book:
            sides.append(read_side(book))
    differences = list(compare(*sides))
    if csv_file is not None:
        head = [field.name for field in fields(Difference)]
        write_table(csv_file, head, map(astuple, differences))
    if json_file is not None:
        json_file.write_text(
            f"{json.dumps(differences, default=vars, indent=1)}\n", "utf-8"
        )
    table = table_of(
        ("submission", "homework", "what"), ("before", "after"), ("why", "cause")
    )
    rows = []
    for one in differences:
        who = (escaped(one.submission), short_name(one.homework), one.subject or "all")
        points = (points_of(one.before), points_of(one.after))
        rows.append(
            [Text(cell) for cell in (*who, *points, escaped(one.why), one.cause)]
        )
    show_first(table, rows, "--csv FILE writes them all")
    changed = len({one.submission for one in differences})
    submissions = len(sides[0].results.keys() | sides[1].results.keys())
    say(f"points differ for {changed} of {submissions} submissions")
    if differences:
        raise typer.Exit(DIFFERENT)
