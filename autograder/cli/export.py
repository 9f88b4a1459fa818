"""``autograder export``: points in the form that a learning platform imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import notes, say
from autograder.cli.options import GradedCourseOption, GradedFolder, course_of, say_unmatched
from autograder.intake import Matching, fit, match_roster, read_roster
from autograder.judging import SubmissionResult
from autograder.records import (
    RESULTS,
    ExportError,
    StudentGrade,
    counts,
    grades_of,
    over_the_maximum,
    read_gradebook,
    settle,
    write_canvas,
    write_moodle,
    write_results,
    write_unmatched,
)

UNMATCHED = "unmatched.csv"


class Platform(StrEnum):
    """The platform that imports the points."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    GRADESCOPE = "gradescope"


def export(
    folder: GradedFolder,
    to: Annotated[Platform, typer.Option("--to", help="The platform that imports the points.")],
    roster: Annotated[
        Path,
        typer.Option(
            help="The class as CSV: an export of Canvas's gradebook, a grading worksheet of Moodle, or any "
            "table with a column such as student_id, login or email."
        ),
    ],
    homework: Annotated[
        str | None, typer.Option(help="Export the points of this homework; all together when not given.")
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help='The column for the points; for Canvas the assignment, as in "Scores (4711)".'),
    ] = None,
    missing_zero: Annotated[
        bool, typer.Option("--missing-zero", help="Give students without a submission 0 instead of a blank.")
    ] = False,
    course: GradedCourseOption = None,
) -> None:
    """Write points for a platform: `autograder export graded --to canvas --roster roster.csv`.

    Writes canvas.csv, moodle.csv or gradescope/ into OUT, with the points that count, those of grades.csv.
    Students are found by what identifies them, never by names that look alike. Submissions that match
    nobody, and students without a submission, are listed here and in unmatched.csv.
    """
    with read_gradebook(folder) as book:
        found = course_of(book, course)
        found.homeworks([homework] if homework else [])
        results = [result for result in settle(book, found).results() if counts(result, homework)]
        owners = book.owners()
    students = read_roster(roster)
    matching = match_roster({one.name: owners.get(one.name) for one in results}, students)
    grades = grades_of(students, matching, results, homework, missing=0.0 if missing_zero else None)
    path, left_out = folder / f"{to}.csv", dict[int, str]()
    if to is Platform.GRADESCOPE:
        path = folder / to
        _write_gradescope(path, matching, results, homework)
    elif to is Platform.MOODLE:
        notes(
            f"{one.student.label} has more than the maximum grade, and Moodle skips the row: raise it first"
            for one in over_the_maximum(students, grades)
        )
        left_out = write_moodle(path, students, grades, column or "Grade")
    elif column is None:
        raise ExportError('name the assignment as Canvas writes it, as in --column "Scores (4711)"')
    else:
        left_out = write_canvas(path, students, grades, column)
    write_unmatched(folder / UNMATCHED, matching, left_out)
    say_unmatched(matching, students)
    notes(_open_points(matching, grades, left_out))
    say(f"{to.capitalize()}: {path}   Unmatched: {folder / UNMATCHED}")


def _write_gradescope(
    folder: Path, matching: Matching, results: Sequence[SubmissionResult], homework: str | None
) -> None:
    """Write ``results.json`` per student, in a folder named by what identifies them."""
    for old in folder.glob(f"*/{RESULTS}"):
        old.unlink()
    for result in results:
        chosen = [one for one in result.homeworks if homework in (None, one.homework)]
        for student in matching.found.get(result.name, ()):
            own = folder / fit(student.student_id or student.email or student.login or student.number)
            own.mkdir(parents=True, exist_ok=True)
            write_results(own / RESULTS, replace(result, homeworks=tuple(chosen)))


def _open_points(
    matching: Matching, grades: Sequence[StudentGrade], left_out: Mapping[int, str]
) -> Iterator[str]:
    """Say whose points are blank, provisional or not in the file."""
    missing = {student.line for student in matching.missing}
    for grade in grades:
        label, line = grade.student.label, grade.student.line
        if line in left_out:
            yield f"{label} is not in the file: {left_out[line]}"
        elif grade.points is None and line not in missing:
            yield f"{label} has a blank: the grader itself failed; run `autograder grade` again"
        elif any(one.awaiting for one in grade.homeworks):
            yield f"{label} has provisional points: some answers wait for their reader"
