"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.course import Course, find_course
from autograder.records import Gradebook

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course's folder; by default the one around here."),
]
GradedCourseOption = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course's folder; by default the one of the grades."),
]
COURSE = "course"
"""The gradebook's setting that names the course its grades are from."""


def course_of(book: Gradebook, named: Path | None) -> Course:
    """Return the course that is named, else the one the grades are from, else the one around here.

    The one around here counts only where the grades' own is gone, such as on another machine.

    Raises:
        CourseError: there is none.
    """
    kept = book.find_setting(COURSE)
    return find_course(named or (Path(kept) if kept and Path(kept).is_dir() else None))
