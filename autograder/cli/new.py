"""``autograder new``: begin a homework, and around the first one a course."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path

from typer import Argument, Option

from autograder.authoring.assignments import build_assignments
from autograder.authoring.new_course import course_to_begin
from autograder.authoring.new_homework import new_files
from autograder.authoring.reference import build_outputs
from autograder.cli.console import notes, say
from autograder.cli.options import CourseOption
from autograder.errors import KitError
from autograder.intake.naming import listed
from autograder.otter.from_otter import homework_from_otter
from autograder.sandbox.pool import SandboxPool

Library = StrEnum("Library", ["numpy", "torch"])


def new(
    homework: str = Argument("", metavar="ID", help="Such as hw7_masked_attention."),
    tasks: str = Option(
        "", metavar="NAME,NAME", help="The functions that students write."
    ),
    points: str = Option(
        "",
        metavar="N,N",
        help="The points of each task, or one number for all; by default 5.",
    ),
    title: str = Option(
        "", metavar="TEXT", help="The title; by default the words of the id."
    ),
    library: Library | None = Option(
        None,
        help="What the functions compute with; by default numpy.",
        show_default=False,
    ),
    master: Path | None = Option(
        None,
        "--from-otter",
        metavar="MASTER.ipynb",
        help="A master of Otter Assign to bring over.",
    ),
    dry_run: bool = Option(False, "--dry-run", help="Only list the files."),
    course: CourseOption = None,
) -> None:
    """Begin a homework that passes, to be replaced line by line.

    A folder with a solution, cases, checks, two known mistakes, an oracle, a handout, a notebook and
    questions, a right and a wrong submission, and the expected outputs and students' files made from these.
    REPLACE marks what is only an example. An empty folder becomes a course first.

    With `--from-otter` it is made of a master notebook, whose code runs in the sandbox, and without an ID it
    has the master's name. Its FROM_OTTER.md lists what could not be brought over.

    Exit status 0: written. 2: wrong usage, or a name that cannot be taken.

    Example: `autograder new hw10_pooling --tasks mean_pool,max_pool`
    """
    own = course_to_begin(course)
    with SandboxPool() as pool:
        if master:
            given = {"--tasks": tasks, "--points": points, "--library": library}
            if named := listed([option for option, value in given.items() if value]):
                raise KitError(
                    f"{named}: with --from-otter this comes from the master; leave it out"
                )
            moved = homework_from_otter(own, master, homework, title, pool)
            homework, files = moved.id, moved.files
        else:
            if not homework or not tasks:
                raise KitError(
                    "name the homework and its functions: autograder new ID --tasks NAME,NAME"
                )
            names = [one.strip() for one in tasks.split(",") if one.strip()]
            files = new_files(
                own,
                homework,
                names,
                _whole_numbers(points or "5"),
                library or "numpy",
                title,
            )
        for path, text in files.items():
            say(str(path.relative_to(own.root)))
            if not dry_run:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8", newline="\n")
        if not dry_run:
            report = build_outputs(own, own.homework(homework), pool)
            notes(report.reasons)
    if not dry_run and not report.refused:
        build_assignments(own, [homework])
    if master:
        say(moved.summary)
        notes(f"{one.question}, cell {one.cell}: {one.why}" for one in moved.left)
    if dry_run:
        return
    short, where = (
        homework.partition("_")[0],
        f" --course {shlex.quote(str(course))}" if course else "",
    )
    said = "passes as it is. Replace what is marked with REPLACE, a few lines at a time"
    brought = f"is brought over. Read solutions/{homework}/FROM_OTTER.md"
    say(f"{homework} {brought if master else said}; then run:")
    for command in ("reference build --accept", "assignments build", "check"):
        say(f"  autograder {command} {short}{where}")


def _whole_numbers(points: str) -> list[int]:
    try:
        return [int(one) for one in points.split(",")]
    except ValueError:
        raise KitError(
            f"--points {points}: write whole numbers, such as 5 or 5,8"
        ) from None
