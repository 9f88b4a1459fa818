"""``autograder reference``: build and verify the stored expected outputs."""

from __future__ import annotations

from collections import Counter

import typer
from typer import Option

from autograder.authoring.reference import BuildReport, build_outputs, verify_outputs
from autograder.batch.garbage import rare_collections
from autograder.cli.app import STYLE
from autograder.cli.console import (
    ExitStatus,
    complain,
    err,
    fail_if,
    first_lines,
    print_line,
)
from autograder.cli.options import CourseOption, HomeworkIds
from autograder.course.course import find_course
from autograder.sandbox.pool import SandboxPool

reference = typer.Typer(
    help="Build or verify the stored expected outputs.", no_args_is_help=True, **STYLE
)


@reference.command()
def build(
    homework_ids: HomeworkIds = None,
    accept: bool = Option(
        False,
        "--accept",
        help="Also write values that differ from the stored ones beyond tolerance.",
    ),
    course_root: CourseOption = None,
) -> None:
    """Run the reference solutions and store what they return, with the tolerance of each case.

    A tolerance comes from how far correct float32 answers vary, and is refused if a known mistake is
    within ten of it. Values within tolerance of the stored ones leave the files untouched. Values beyond it
    are listed and written only with --accept.

    Exit status 0: built, or unchanged. 1: something was refused. 2: wrong usage.

    Example: `autograder reference build`
    """
    course = find_course(course_root)
    reports = []
    with SandboxPool() as pool, err.status("building") as status:
        for homework in course.homeworks(homework_ids):
            status.update(f"building {homework.id}")
            report = build_outputs(course, homework, pool, accept=accept)
            _show(report)
            reports.append(report)
    if len(reports) > 1:
        states = Counter(report.state for report in reports)
        print_line(", ".join(f"{count} {state}" for state, count in states.items()))

    # Refusals once more, where other lines came after them.
    for report in reports:
        if report.reasons and (len(reports) > 1 or report.changed):
            more = ""
            if len(report.reasons) > 1:
                more = f", and {len(report.reasons) - 1} more"
            complain(f"{report.homework} is refused: {report.reasons[0]}{more}")
    if any(report.refused for report in reports):
        raise typer.Exit(ExitStatus.PROBLEMS)


def _show(report: BuildReport) -> None:
    """Say first which faults were refused, then the first changes, and how many more there are."""
    counts = []
    if report.changed:
        counts.append(f"values changed: {len(report.changed)}")
    if report.mistakes:
        counts.append(f"mistakes changed: {len(report.mistakes)}")
    if report.tolerances:
        counts.append(f"tolerances changed: {len(report.tolerances)}")
    changes = f" ({', '.join(counts)})" if counts else ""
    print_line(f"{report.homework}: {report.state}{changes}")
    lines = [
        *report.reasons,
        *first_lines(report.changed),
        *first_lines(report.mistakes),
        *first_lines(report.tolerances),
    ]
    for line in lines:
        print_line(f"  {line}")
    if report.refused and not report.reasons and not report.accept:
        print_line("  look at these; `autograder reference build --accept` writes them")


@reference.command()
def verify(homework_ids: HomeworkIds = None, course_root: CourseOption = None) -> None:
    """Recompute the expected outputs and compare them with those stored.

    They must also agree with the published values and with an independent oracle.

    Exit status 0: all agree. 1: some do not. 2: wrong usage.

    Example: `autograder reference verify`
    """
    course = find_course(course_root)
    differences = []
    with SandboxPool() as pool, rare_collections(), err.status("verifying") as status:
        for homework in course.homeworks(homework_ids):
            status.update(f"verifying {homework.id}")
            lines = verify_outputs(course, homework, pool)
            state = "NOT verified" if lines else "verified"
            print_line(f"{homework.id}: {state}")
            differences += lines
    fail_if(differences)
