"""Use a roster on the command line: say whose submissions are, and who is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.cli.console import note
from autograder.intake import Entry, Matching, Owner, Roster, Student, match_roster, read_roster

SHOWN = 20


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
        more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        note("\n    ".join([f"{what} ({len(found)}):", *found[:SHOWN], *more]))


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
