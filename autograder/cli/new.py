"""``autograder new``: begin a homework, and around the first one a course."""

from __future__ import annotations

import shlex
from enum import StrEnum

from typer import Argument, Option

from autograder.authoring import build_assignments, build_outputs, course_to_begin, new_files
from autograder.cli.console import say
from autograder.cli.options import CourseOption
from autograder.errors import KitError
from autograder.sandbox import SandboxPool

Library = StrEnum("Library", ["numpy", "torch"])


def new(
    homework: str = Argument(..., metavar="ID", help="Such as hw7_masked_attention."),
    tasks: str = Option(..., metavar="NAME,NAME", help="The functions that students write."),
    points: str = Option("5", metavar="N,N", help="The points of each task, or one number for all."),
    title: str = Option("", metavar="TEXT", help="The title; by default the words of the id."),
    library: Library = Option(Library.numpy, help="What the functions compute with."),
    dry_run: bool = Option(False, "--dry-run", help="Only list the files."),
    course: CourseOption = None,
) -> None:
    """Begin a homework that passes, to be replaced line by line.

    A folder with a solution, cases, checks, two known mistakes, an oracle, a handout, a notebook and
    questions, a right and a wrong submission, and the expected outputs and students' files made from these.
    REPLACE marks what is only an example. An empty folder becomes a course first.

    Exit status 0: written. 2: wrong usage, or a name that cannot be taken.

    Example: `autograder new hw10_pooling --tasks mean_pool,max_pool`
    """
    own = course_to_begin(course)
    names = [one.strip() for one in tasks.split(",") if one.strip()]
    files = new_files(own, homework, names, _whole_numbers(points), library, title)
    for path, text in files.items():
        say(str(path.relative_to(own.root)))
        if not dry_run:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    if dry_run:
        return
    with SandboxPool() as pool:
        build_outputs(own, own.homework(homework), pool)
    build_assignments(own, [homework])
    short, where = homework.partition("_")[0], f" --course {shlex.quote(str(course))}" if course else ""
    say(f"{homework} passes as it is. Replace what is marked with REPLACE, a few lines at a time; then run:")
    for command in ("reference build --accept", "assignments build", "check"):
        say(f"  autograder {command} {short}{where}")


def _whole_numbers(points: str) -> list[int]:
    try:
        return [int(one) for one in points.split(",")]
    except ValueError:
        raise KitError(f"--points {points}: write whole numbers, such as 5 or 5,8") from None
