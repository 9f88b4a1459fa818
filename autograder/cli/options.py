"""Options that several commands share, --course and --roster, and what they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import note
from autograder.course import Course, find_course
from autograder.intake import Entry, Matching, Owner, Roster, Student, match_roster, read_roster
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
MOST_SHOWN = 20


def course_of(book: Gradebook, named: Path | None) -> Course:
    """Return the course that is named, else the one the grades are from, else the one around here.

    The one around here counts only where the grades' own is gone, such as on another machine.

    Raises:
        CourseError: there is none.
    """
    kept = book.find_setting(COURSE)
    return find_course(named or (Path(kept) if kept and Path(kept).is_dir() else None))


def with_students(entries: Sequence[Entry], path: Path | None) -> list[Entry]:
    """Return the entries with their students as the roster knows them, and say what does not match.

    Raises:
        RosterError: the roster cannot be used.
    """
    if path is None:
        return list(entries)
    roster = read_roster(path)
    matching = match_roster({entry.name: entry.owner for entry in entries}, roster)
    tell(matching, roster)
    return [replace(entry, owner=_owner(entry, matching.found)) for entry in entries]


def tell(matching: Matching, roster: Roster) -> None:
    """Say which submissions are nobody's and which students have none."""
    unmatched = [f"{name}: {reason}" for name, reason in matching.unmatched.items()]
    _say(f"submissions that match nobody in {roster.source}", unmatched)
    _say(f"students of {roster.source} without a submission", (one.label for one in matching.missing))


def _say(what: str, lines: Iterable[str]) -> None:
    found = list(lines)
    if found:
        more = [f"and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
        note("\n    ".join([f"{what} ({len(found)}):", *found[:MOST_SHOWN], *more]))


def _owner(entry: Entry, found: Mapping[str, tuple[Student, ...]]) -> Owner | None:
    """Return the owner by the school's own number; a team's submission stays the team's."""
    students = found.get(entry.name, ())
    if len(students) != 1:
        return entry.owner
    student, before = students[0], entry.owner or Owner("")
    return replace(
        before,
        student_id=student.student_id or before.student_id or entry.name,
        name=student.name or before.name,
        email=student.email or before.email,
    )
