"""``autograder report``: write every file of an output folder anew from its gradebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import out
from autograder.cli.options import GradedCourseOption, course_of
from autograder.cli.outputs import publish
from autograder.cli.progress import closing_table
from autograder.records import GRADES, REPORT, forget_submissions, need_gradebook, open_gradebook


def report(
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="The --out folder of `autograder grade`.")],
    course: GradedCourseOption = None,
) -> None:
    """Write grades.csv, report.html and every student's files again: [bold]autograder report graded[/bold].

    Everything comes from gradebook.sqlite; no submission is run. For files that were deleted or edited, and
    after an update of the kit that shows results in another way.
    """
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        found = course_of(book, course)
        forget_submissions(folder, ())
        results = publish(book, found, folder)
        closing_table(results, found.homework_ids())
    out.print(f"Grades: {folder / GRADES}   Report: {folder / REPORT}", markup=False, soft_wrap=True)
