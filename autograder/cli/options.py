"""Options that several commands share, and the course and roster that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.course.course import Course, find_course
from autograder.csv_table import parse_not_negative
from autograder.gradebook.book import Gradebook
from autograder.sandbox.levels import Level, strongest_level

GradedFolder = Annotated[
    Path, typer.Argument(metavar="OUT", help="The --out folder of `autograder grade`.")
]
HomeworkIds = Annotated[
    list[str] | None, typer.Argument(metavar="ID", help="Homework ids; all by default.")
]
OnlyHomeworks = Annotated[
    list[str] | None,
    typer.Option("--homework", metavar="ID", help="Only this homework. Repeatable."),
]
Jobs = Annotated[
    int, typer.Option(min=1, metavar="N", help="How many to grade at once.")
]
AT_ONCE = os.cpu_count() or 1
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Grade on this Dask scheduler (tcp://HOST:8786)."
    ),
]
Unsafe = Annotated[
    bool,
    typer.Option("--unsafe", help="Run submissions even if no sandbox is available."),
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="On a terminal, show every submission, not only problems.",
    ),
]
CourseOption = Annotated[
    Path | None,
    typer.Option(
        "--course",
        metavar="DIR",
        help="The course's folder; by default the one you are in.",
    ),
]
GradedCourseOption = Annotated[
    Path | None,
    typer.Option(
        "--course",
        metavar="DIR",
        help="The course's folder; by default that of the grades.",
    ),
]
NAME_HELP = "A submission in grades.csv, or its student's id, login or mail; an unambiguous beginning is enough."
COURSE_SETTING = "course"
"""The gradebook's setting that names the course its grades are from."""


def need_protection(unsafe: bool) -> Level:
    """Return the strongest isolation level here, or refuse one that does not contain hostile code."""
    level = strongest_level()
    if not level.confines_hostile_code and not unsafe:
        raise typer.BadParameter(
            f"this machine offers only the level {level.name} ({level.promise}). `autograder doctor` says "
            "what to install; --unsafe runs submissions anyway, if you trust them.",
            param_hint="--unsafe",
        )
    return level


def course_of(book: Gradebook, root: Path | None) -> Course:
    """Return the course at ``root``, else the one the grades are from, else the one around here.

    The one around here counts only where the grades' own is gone, such as on another machine.
    """
    root_of_grades = book.find_setting(COURSE_SETTING)
    if root is None and root_of_grades and Path(root_of_grades).is_dir():
        root = Path(root_of_grades)
    return find_course(root)


def not_negative(text: str) -> float:
    """Return the number of an option, which may have a point or a comma, as in tables."""
    value = parse_not_negative(text)
    if value is None:
        raise typer.BadParameter(
            f"{text!r} must be a number such as 9.5 or 9,5, not negative"
        )
    return value


def one_of(values: Sequence[str]) -> Callable[[str], str]:
    """Return the parser of an option with these values, which installed distributions may add to."""

    def parse(text: str) -> str:
        if text not in values:
            raise ValueError(f"{text!r} is not one of {', '.join(map(repr, values))}.")
        return text

    return parse
