"""``autograder diff``: whose points differ between two output folders, on which check, and why."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from pathlib import Path

import typer
from rich.text import Text
from typer import Argument, Option

from autograder.cli.console import ExitStatus, print_line, show_first, table_of
from autograder.course.homework import short_id
from autograder.csv_table import write_table
from autograder.gradebook.opening import read_gradebook
from autograder.policy.grade import points_of
from autograder.report.difference import Difference, compare, read_side
from autograder.untrusted_text import for_screen


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
    """List differences in points between two folders, and why.

    Each line names the check (or the policy) that made the difference, what the student reads, and what has
    changed: the code, the graders (checks, cases, seed, versions) or people's decisions.

    Exit status 0: nobody's points differ. 1: some do. 2: wrong usage.

    Example: `autograder diff graded-monday graded`
    """
    with read_gradebook(before) as book:
        side_before = read_side(book)
    with read_gradebook(after) as book:
        side_after = read_side(book)
    differences = list(compare(side_before, side_after))
    if csv_file is not None:
        columns = [field.name for field in fields(Difference)]
        write_table(csv_file, columns, map(astuple, differences))
    if json_file is not None:
        text = json.dumps(differences, default=vars, indent=1)
        json_file.write_text(f"{text}\n", "utf-8")

    rows = []
    for difference in differences:
        cells = (
            for_screen(difference.submission),
            short_id(difference.homework),
            difference.subject or "all",
            points_of(difference.before),
            points_of(difference.after),
            for_screen(difference.why),
            difference.cause,
        )
        rows.append([Text(cell) for cell in cells])
    table = table_of(
        ("submission", "homework", "what"), ("before", "after"), ("why", "cause")
    )
    show_first(table, rows, "--csv FILE writes them all")
    changed = {difference.submission for difference in differences}
    submissions = side_before.results.keys() | side_after.results.keys()
    print_line(f"points differ for {len(changed)} of {len(submissions)} submissions")
    if differences:
        raise typer.Exit(ExitStatus.PROBLEMS)
