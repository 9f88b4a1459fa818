"""``autograder assignments``: make the students' files from the solutions, or verify that they match."""

from __future__ import annotations

import typer

from autograder.authoring import build_assignments, verify_assignments
from autograder.cli.console import complain, out
from autograder.cli.options import CourseOption
from autograder.course import find_course

app = typer.Typer(help="Build or verify the students' files.", no_args_is_help=True)


@app.command()
def build(course_folder: CourseOption = None) -> None:
    """Write stubs, handouts and notebooks from solutions/; files that are in sync stay untouched."""
    course = find_course(course_folder)
    touched = build_assignments(course)
    for path in touched:
        out.print(str(path.relative_to(course.root)), markup=False)
    out.print(f"{len(touched)} files changed")


@app.command()
def verify(course_folder: CourseOption = None) -> None:
    """Compare assignments/ with what solutions/ would give; exit status 1 on any difference."""
    lines = verify_assignments(find_course(course_folder))
    for line in lines:
        complain(line)
    if lines:
        complain("run `make assignments`, and never edit assignments/ by hand")
        raise typer.Exit(1)
    out.print("assignments/ is in sync with solutions/")
