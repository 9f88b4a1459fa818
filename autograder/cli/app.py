"""The ``autograder`` command: its commands by name, each imported when it is called."""

from __future__ import annotations

import atexit
import copy
import errno
import gc
import importlib
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from autograder import __version__
from autograder.batch.garbage import rare_collections
from autograder.cli.console import ExitStatus, complain
from autograder.errors import KitError
from autograder.safe_path import WithoutCurrentFolder

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
GRADING = "Grading"
STUDENTS = "Students"
AUTHORING = "Authoring"
MAINTENANCE = "Maintenance"

COMMANDS = {
    "grade": (GRADING, "grade", "Grade submissions: points, reasons and reports."),
    "regrade": (
        GRADING,
        "regrade",
        "Grade again what OUT holds, with today's checks.",
    ),
    "status": (
        GRADING,
        "status",
        "Show what is graded and what is open, and what to do next.",
    ),
    "report": (
        GRADING,
        "report",
        "Write grades.csv, report.html and each student's files again.",
    ),
    "policy": (
        GRADING,
        "policy",
        "Recompute which points count: lateness, marks, overrides.",
    ),
    "withdraw": (
        GRADING,
        "withdraw",
        "Take a submission out of every table, or bring it back.",
    ),
    "written": (
        GRADING,
        "report",
        "Collect written answers to theory questions for marking.",
    ),
    "groups": (
        GRADING,
        "groups",
        "List wrong answers, grouped by what they return.",
    ),
    "similar": (
        GRADING,
        "similar",
        "Find submissions whose code is suspiciously alike.",
    ),
    "explain": (
        GRADING,
        "explain",
        "Show why a check failed for one submission.",
    ),
    "diff": (
        GRADING,
        "diff",
        "List differences in points between two folders, and why.",
    ),
    "release": (STUDENTS, "release", "Write the zips that students start from."),
    "gradescope": (STUDENTS, "release", "Write the zip that grades on Gradescope."),
    "otter": (STUDENTS, "release", "Write the zip that grades in Otter-Grader."),
    "export": (
        STUDENTS,
        "export",
        "Write points in the form that a learning platform imports.",
    ),
    "init": (
        AUTHORING,
        "init",
        "Create a course, with or without homeworks of the kit.",
    ),
    "new": (
        AUTHORING,
        "new",
        "Create a homework that passes, to be replaced line by line.",
    ),
    "reference": (
        AUTHORING,
        "reference",
        "Build or verify the stored expected outputs.",
    ),
    "assignments": (AUTHORING, "release", "Build or verify the students' files."),
    "misconception": (
        AUTHORING,
        "misconception",
        "Turn a group of wrong answers into a known mistake.",
    ),
    "audit": (
        AUTHORING,
        "audit",
        "Check that known mistakes are caught and right answers pass.",
    ),
    "check": (
        MAINTENANCE,
        "check",
        "Check that stubs earn no points, and solutions all points.",
    ),
    "doctor": (
        MAINTENANCE,
        "doctor",
        "Show what protects this machine and what to install for more.",
    ),
}
"""Of each command its group, its module, and the first line of its help, so that ``--help`` imports none."""

STYLE: dict[str, Any] = {"rich_markup_mode": "markdown", "add_completion": False}


def load(name: str) -> Any:
    """Import a command: the function, or the group of commands, that bears its name in its module."""
    _, module_name, _ = COMMANDS[name]
    group = getattr(importlib.import_module(f"autograder.cli.{module_name}"), name)
    if not isinstance(group, typer.Typer):
        function = group
        group = typer.Typer(**STYLE)
        group.command(name)(function)
    command = typer.main.get_command(group)
    for each_command in (command, *getattr(command, "commands", {}).values()):
        for parameter in each_command.params:
            if parameter.param_type_name == "argument":
                hide_type(parameter)
    return command


def hide_type(argument: Any) -> None:
    """Show an argument in the help by its name only, without a type of Python."""
    usage = argument.metavar or argument.name.upper()
    if not argument.required:
        usage = f"[{usage}]"
    if argument.nargs != 1:
        usage += "..."
    argument.get_usage_pieces = _answer([usage])
    # Typer before 0.29 asks the argument's type, which others share; later versions ask the argument.
    if hasattr(argument, "type"):
        argument.type = copy.copy(argument.type)
        argument.type.get_metavar = _answer("")
    argument.display_type_rich = _answer(None)


def _answer(value: Any) -> Callable[..., Any]:
    """Return a function that returns the value, whatever it is asked."""
    return lambda *arguments, **options: value


class _OnDemand(TyperGroup):
    """Lists every command by its summary, and imports the one that is called."""

    def resolve_command(
        self, ctx: Any, args: list[str]
    ) -> tuple[str | None, Any, list[str]]:
        name, _, arguments = super().resolve_command(ctx, args)
        command = load(name) if name else None
        return name, command, arguments


app = typer.Typer(
    name="autograder",
    help="Grade programming homeworks: points, a reason for every wrong answer, and reports.",
    cls=_OnDemand,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    **{**STYLE, "add_completion": True},
)
for _name, (_group, _, _summary) in COMMANDS.items():
    app.command(_name, help=_summary, rich_help_panel=_group)(lambda: None)


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    """Options of the command as a whole."""
    if version:
        typer.echo(f"autograder {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; an error that the user can fix ends it with one line and exit status 2."""
    # When Python ends, it collects reference cycles once more, in memory that the system takes back anyway. Without
    # that nothing is lost: all files that commands write are closed by `with`, not by finalizers.
    atexit.unregister(gc.freeze)  # a program may call this function again and again
    atexit.register(gc.freeze)
    try:
        # A command makes and imports so much that the collector would take a tenth of its time.
        with WithoutCurrentFolder(), rare_collections():
            app()
    except KitError as error:
        complain(str(error))
    except OSError as error:  # a full disk, a table that a spreadsheet keeps open
        if error.errno not in UNWRITABLE:
            raise
        complain(
            f"{error.filename or 'a file'} cannot be written ({error.strerror}): free some space, "
            "or close the program that has it open. Finished grades are kept, and "
            "`autograder report OUT` writes all files again"
        )
    else:
        return
    sys.exit(ExitStatus.USAGE)
