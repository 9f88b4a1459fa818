"""``autograder assignments``: make the students' files from the solutions, or verify that they match."""

from __future__ import annotations

import typer

from autograder.authoring import build_assignments, verify_assignments
from autograder.cli.console import fail_if, say
from autograder.cli.options import CourseOption
from autograder.course import find_course

app = typer.Typer(help="Build or verify the students' files.", no_args_is_help=True)


@app.command()
def build(course_folder: CourseOption = None) -> None:
    """Write stubs, handouts and notebooks from solutions/; files that are in sync stay untouched."""
    course = find_course(course_folder)
    touched = build_assignments(course)
    for path in touched:
        say(str(path.relative_to(course.root)))
    say(f"{len(touched)} files changed")


@app.command()
def verify(course_folder: CourseOption = None) -> None:
    """Compare assignments/ with what solutions/ would give; exit status 1 on any difference."""
    differences = verify_assignments(find_course(course_folder))
    fail_if(differences, "run `autograder assignments build`, and never edit assignments/ by hand")
    say("assignments/ is in sync with solutions/")
