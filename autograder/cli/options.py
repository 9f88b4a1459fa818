"""Options that several commands share, and the course and roster that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import first_lines, note
from autograder.course.course import Course, find_course
from autograder.csv_table import parse_not_negative
from autograder.gradebook.book import Gradebook
from autograder.intake.roster import Roster, RosterMatch, Student, match_roster
from autograder.intake.submission import Owner, Submission
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


def with_students(
    submissions: Sequence[Submission],
    roster: Roster | None,
    stubs: Collection[str],
    earlier_owners: Mapping[str, Owner],
) -> tuple[list[Submission], Collection[str] | None]:
    """Find the students of the submissions in a roster, and say what does not match.

    A team's submission stays the team's. Students are missing if they have a submission neither among the
    submissions nor among those graded before, whose owners are ``earlier_owners``.

    Returns:
        the submissions with their students as the roster knows them; and the names of those of which it knows the
        student, None without a roster.
    """
    if roster is None:
        return list(submissions), None
    owners = {submission.name: submission.owner for submission in submissions}
    matching = match_roster(owners, roster, stubs)
    matching_before = match_roster(earlier_owners, roster, stubs)
    students_before: set[Student] = set()
    for students in matching_before.found.values():
        students_before.update(students)
    missing = []
    for student in matching.missing:
        if student not in students_before:
            missing.append(student)
    print_unmatched(replace(matching, missing=tuple(missing)), roster)
    school_ids = {student.student_id for student in roster.students}
    known_names = []
    submissions_with_owners = []
    for submission in submissions:
        owner = submission.owner
        students = matching.found.get(submission.name, ())
        if len(students) == 1:
            [student] = students
            known_names.append(submission.name)
            platform_owner = owner or Owner("")
            student_id = student.student_id
            if not student_id and platform_owner.student_id not in school_ids:
                student_id = platform_owner.student_id  # it is nobody else's
            owner = replace(
                platform_owner,
                student_id=student_id,
                name=student.name or platform_owner.name,
                email=student.email or platform_owner.email,
                login=student.login or platform_owner.login,
            )
        submissions_with_owners.append(replace(submission, owner=owner))
    return submissions_with_owners, known_names


def print_unmatched(matching: RosterMatch, roster: Roster) -> None:
    """Say which submissions are nobody's and which students have none."""
    nobodys = [f"{name}: {reason}" for name, reason in matching.unmatched.items()]
    students = [student.label for student in matching.missing]
    lists = (
        (f"submissions that match nobody in {roster.source}", nobodys),
        (f"students of {roster.source} without a submission", students),
    )
    for title, lines in lists:
        if lines:
            head = f"{title} ({len(lines)}):"
            note("\n    ".join([head, *first_lines(lines)]))
