"""``autograder reference``: build and verify the stored expected outputs."""

from __future__ import annotations

from collections import Counter

import typer
from typer import Option

from autograder.authoring.reference import BuildReport, build_outputs, verify_outputs
from autograder.cli.app import STYLE
from autograder.cli.console import complain, err, fail_if, first_lines, say
from autograder.cli.options import CourseOption, HomeworkIds
from autograder.course.course import find_course
from autograder.sandbox.pool import SandboxPool

reference = typer.Typer(
    help="Build or verify the stored expected outputs.", no_args_is_help=True, **STYLE
)


@reference.command()
def build(
    homework: HomeworkIds = None,
    accept: bool = Option(
        False,
        "--accept",
        help="Also write values that differ from the stored ones beyond tolerance.",
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
    reports = []
    with SandboxPool() as pool, err.status("building") as status:
        for one in course.homeworks(homework):
            status.update(f"building {one.id}")
            reports.append(build_outputs(course, one, pool, accept=accept))
            _show(reports[-1])
    if len(reports) > 1:
        say(
            ", ".join(
                f"{count} {state}"
                for state, count in Counter(report.state for report in reports).items()
            )
        )
    for report in reports:  # once more, where other lines came after it
        if report.reasons and (len(reports) > 1 or report.changed):
            more = (
                f", and {len(report.reasons) - 1} more"
                if len(report.reasons) > 1
                else ""
            )
            complain(f"{report.homework} is refused: {report.reasons[0]}{more}")
    if any(report.refused for report in reports):
        raise typer.Exit(1)


def _show(report: BuildReport) -> None:
    """Say what was refused first, then what changed: a line for each, up to some, and how many more."""
    counts = {"values": report.changed, "mistakes": report.mistakes}
    changed = ", ".join(
        f"{what} changed: {len(lines)}" for what, lines in counts.items() if lines
    )
    say(f"{report.homework}: {report.state}{changed and f' ({changed})'}")
    for line in (
        *report.reasons,
        *first_lines(report.changed),
        *first_lines(report.mistakes),
    ):
        say(f"  {line}")
    if report.refused and not (report.reasons or report.accept):
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
    with SandboxPool() as pool, err.status("verifying") as status:
        for one in course.homeworks(homework):
            status.update(f"verifying {one.id}")
            lines = verify_outputs(course, one, pool)
            say(f"{one.id}: {'verified' if not lines else 'NOT verified'}")
            differences += lines
    fail_if(differences)
