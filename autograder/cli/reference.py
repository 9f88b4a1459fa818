"""``autograder reference``: build and verify the stored expected outputs."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from typer import Option

from autograder.authoring import build_outputs, verify_outputs
from autograder.cli.app import STYLE
from autograder.cli.console import fail_if, say
from autograder.cli.options import CourseOption, HomeworkIds
from autograder.course import find_course
from autograder.sandbox import SandboxPool

reference = typer.Typer(help="Build or verify the stored expected outputs.", no_args_is_help=True, **STYLE)


@reference.command()
def build(
    homework: HomeworkIds = None,
    accept: bool = Option(
        False, "--accept", help="Also write values that differ from the stored ones beyond tolerance."
    ),
    course_folder: CourseOption = None,
) -> None:
    """Run the reference solutions and store what they return, with the tolerance of each case.

    A tolerance comes from how far correct float32 answers stray, and is refused where a known mistake lies
    within ten of it. Values within tolerance of the stored ones leave the files untouched. Values beyond it
    are listed and written only with --accept.

    Exit status 0: built, or unchanged. 1: something was refused. 2: wrong usage.

    Example: `autograder reference build`
    """
    course = find_course(course_folder)
    refused = False
    with SandboxPool() as pool:
        for one in course.homeworks(homework):
            report = build_outputs(course, one, pool, accept=accept)
            refused = refused or report.refused
            state = "written" if report.written else ("refused" if report.refused else "unchanged")
            settled = report.accept or bool(report.wrong or report.unsound)
            _show_changed(f"{report.homework}: {state}", report.changed, settled)
            wrong = [f"contradicts the published values: {value}" for value in report.wrong]
            for line in (*wrong, *report.unsound):
                say(f"  {line}")
            if report.mistakes:
                state = "refused" if report.refused else "written"
                _show_changed(f"{one.id}: misconceptions {state}", report.mistakes, accept)
    if refused:
        raise typer.Exit(1)


def _show_changed(title: str, changed: Sequence[str], settled: bool) -> None:
    say(title)
    for line in changed:
        say(f"  {line}")
    if changed and not settled:
        say("  look at these; `autograder reference build --accept` writes them")


@reference.command()
def verify(homework: HomeworkIds = None, course_folder: CourseOption = None) -> None:
    """Recompute the expected outputs and compare them with those stored.

    They must also agree with the published values and with an independent oracle.

    Exit status 0: all agree. 1: some do not. 2: wrong usage.

    Example: `autograder reference verify`
    """
    course = find_course(course_folder)
    differences = []
    with SandboxPool() as pool:
        for one in course.homeworks(homework):
            lines = verify_outputs(course, one, pool)
            say(f"{one.id}: {'verified' if not lines else 'NOT verified'}")
            differences += lines
    fail_if(differences)
