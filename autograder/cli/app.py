"""The ``autograder`` command."""

from __future__ import annotations

import sys

import typer

from autograder import __version__
from autograder.cli import (
    audit,
    check,
    diff,
    doctor,
    explain,
    export,
    grade,
    policy,
    reference,
    release,
    report,
)
from autograder.cli.console import complain
from autograder.errors import KitError
from autograder.safe_path import WithoutCurrentFolder

USAGE = 2

app = typer.Typer(
    name="autograder",
    help="Grade homeworks on attention: points, a reason for every wrong answer, and reports.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
for command in (
    *(grade.grade, export.export, report.report, policy.policy, diff.diff, check.check, audit.audit),
    *(report.written, explain.explain, doctor.doctor, release.release, release.gradescope),
):
    app.command()(command)
app.add_typer(reference.app, name="reference")
app.add_typer(release.assignments, name="assignments")


@app.callback(invoke_without_command=True)
def options(version: bool = typer.Option(False, "--version", help="Show the version and exit.")) -> None:
    """Options of the command as a whole."""
    if version:
        typer.echo(f"autograder {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; an error that the user can mend ends it with one line and exit status 2."""
    try:
        with WithoutCurrentFolder():
            app()
    except KitError as error:
        complain(str(error))
        sys.exit(USAGE)
