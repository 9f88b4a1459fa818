"""``autograder withdraw``: a submission that counts nowhere, until somebody brings it back."""

from __future__ import annotations

import typer
from typer import Argument, Option

from autograder.cli.console import print_line
from autograder.cli.options import (
    NAME_HELP,
    GradedCourseOption,
    GradedFolder,
    course_of,
)
from autograder.cli.progress import print_files, publish_grades
from autograder.gradebook.opening import need_gradebook, open_gradebook
from autograder.policy.names import Names
from autograder.policy.policy import PolicyError
from autograder.untrusted_text import for_screen


def withdraw(
    folder: GradedFolder,
    name: str = Argument(..., metavar="NAME", help=NAME_HELP),
    reason: str | None = Option(
        None, metavar="TEXT", help="Why; the staff read it, students do not."
    ),
    back: bool = Option(False, "--back", help="Let the submission count again."),
    course_root: GradedCourseOption = None,
) -> None:
    """Take a submission out of every table, or bring it back.

    A withdrawn submission is in no table, export, statistic or page of the class, and the files for its
    student go. The gradebook keeps its results and what people decided, and it stays withdrawn when it is
    graded again. Exports leave the points of its student blank.

    Exit status 0: done. 2: wrong usage, which changes nothing.

    Example: `autograder withdraw graded ada --reason "left the course"`
    """
    reason = (reason or "").strip()
    if back and reason:
        raise typer.BadParameter(
            "is not for --back; leave it out", param_hint="--reason"
        )
    if not back and not reason:
        raise typer.BadParameter("say why with --reason TEXT", param_hint="--reason")
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        course = course_of(book, course_root)
        # A withdrawn submission may be gone from the gradebook.
        is_known = back and name in book.decisions.withdrawn()
        if not is_known:
            name = Names(book).pick(name)
        if not back:
            book.decisions.withdraw(name, reason)
        elif not book.decisions.bring_back(name):
            withdrawn = ", ".join(book.decisions.withdrawn()) or "nobody"
            raise PolicyError(
                f"{name} is not withdrawn, so it counts already; withdrawn: {withdrawn}"
            )
        publish_grades(book, course, folder)
    if back:
        print_line(f"{for_screen(name)} counts again.")
    else:
        print_line(
            f"{for_screen(name)} is withdrawn: {for_screen(reason)} "
            f"(`autograder withdraw {folder} NAME --back` takes that back)"
        )
    print_files(folder)
