"""``autograder new``: begin a homework, and around the first one a course."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from typer import Argument, Option

from autograder.authoring.complaints import complaints_about
from autograder.authoring.new_course import course_to_begin
from autograder.authoring.new_homework import new_files, write_homework
from autograder.cli.console import notes, print_line
from autograder.cli.options import CourseOption
from autograder.errors import KitError
from autograder.intake.naming import listed
from autograder.otter.from_otter import homework_from_otter
from autograder.sandbox.pool import SandboxPool

Library = StrEnum("Library", ["numpy", "torch"])


def new(
    homework_id: str = Argument("", metavar="ID", help="Such as hw7_moving_averages."),
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
        metavar="numpy|torch",
        help="What the functions compute with; by default numpy.",
        show_default=False,
    ),
    master: Path | None = Option(
        None,
        "--from-otter",
        metavar="MASTER.ipynb",
        help="An Otter Assign master to convert.",
    ),
    dry_run: bool = Option(False, "--dry-run", help="Only list the files."),
    course_root: CourseOption = None,
) -> None:
    """Create a homework that passes, to be replaced line by line.

    A folder with a solution, cases, checks, two known mistakes, an oracle, a handout, a notebook and
    questions, a right and a wrong submission, and the expected outputs and students' files made from these.
    REPLACE marks what is only an example. An empty folder becomes a course first.

    With `--from-otter` it is converted from a master notebook, whose code runs in the sandbox; without an ID
    it gets the master's name. Its FROM_OTTER.md lists what could not be converted.

    Exit status 0: written. 2: wrong usage, or a name that cannot be used.

    Example: `autograder new hw10_pooling --tasks mean_pool,max_pool`
    """
    course = course_to_begin(course_root)
    with SandboxPool() as pool:
        if master:
            options = {"--tasks": tasks, "--points": points, "--library": library}
            useless_options = []
            for option, value in options.items():
                if value:
                    useless_options.append(option)
            if useless_options:
                raise KitError(
                    f"{listed(useless_options)}: with --from-otter this comes from the master; leave it out"
                )
            transfer = homework_from_otter(course, master, homework_id, title, pool)
            homework_id = transfer.id
            files: Mapping[Path, str | bytes] = transfer.files
        else:
            if not homework_id or not tasks:
                raise KitError(
                    "name the homework and its functions: autograder new ID --tasks NAME,NAME"
                )
            task_names = []
            for name in tasks.split(","):
                if name.strip():
                    task_names.append(name.strip())
            files = new_files(
                course,
                homework_id,
                task_names,
                _whole_numbers(points or "5"),
                library or "numpy",
                title,
            )
        reasons: tuple[str, ...] = ()
        if not dry_run:
            reasons = write_homework(course, homework_id, files, pool).reasons
            if master and not reasons:  # its lines were not written for this kit
                homework = course.homework(homework_id)
                remarks: list[str] = []
                take = remarks.append
                complaints = complaints_about(course, homework, pool, take, take)
                reasons = tuple(complaints)
    for path in files:
        print_line(str(path.relative_to(course.root)))
    notes(reasons)
    if master:
        print_line(transfer.summary)
        lines = []
        for left_over in transfer.left:
            lines.append(
                f"{left_over.question}, cell {left_over.cell}: {left_over.why}"
            )
        notes(lines)
    if dry_run:
        return

    # What to do next.
    state = (
        "passes as it is. Replace what is marked with REPLACE, a few lines at a time"
    )
    if master:
        state = f"has been converted. Read solutions/{homework_id}/FROM_OTTER.md"
    print_line(f"{homework_id} {state}; then run:")
    short_id = homework_id.partition("_")[0]
    course_option = ""
    if course_root:
        course_option = f" --course {shlex.quote(str(course_root))}"
    for command in ("reference build --accept", "assignments build", "check"):
        print_line(f"  autograder {command} {short_id}{course_option}")


def _whole_numbers(points: str) -> list[int]:
    try:
        return [int(number) for number in points.split(",")]
    except ValueError:
        raise KitError(
            f"--points {points}: write whole numbers, such as 5 or 5,8"
        ) from None
