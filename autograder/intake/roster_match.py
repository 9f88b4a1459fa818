"""Match submissions with the students of a roster: by identifiers, never by names that look alike."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.intake.naming import listed
from autograder.intake.roster import Kind, Roster, Student, keys_of
from autograder.intake.submission import Owner


@dataclass(frozen=True)
class Matching:
    """The students of each submission, why the others have none, and the students without a submission."""

    found: Mapping[str, tuple[Student, ...]]
    unmatched: Mapping[str, str]
    missing: tuple[Student, ...]


def match_roster(owners: Mapping[str, Owner | None], roster: Roster) -> Matching:
    """Match submissions, given by name with what the platform said of them, with a roster.

    An identifier must lead to one student only, and a student to one submission only; everything else is
    left to a person. A submission without an owner is matched by its own name.
    """
    by_key: defaultdict[str, dict[int, Student]] = defaultdict(dict)
    for student in roster.students:
        for key in keys_of(student):
            by_key[key.casefold()][student.line] = student
    index = {key: list(students.values()) for key, students in by_key.items()}
    found: dict[str, tuple[Student, ...]] = {}
    unmatched: dict[str, str] = {}
    for name, owner in owners.items():
        students = _students(name, owner, roster, index)
        if isinstance(students, str):
            unmatched[name] = students
        else:
            found[name] = students
    for name, reason in _contested(found).items():
        del found[name]
        unmatched[name] = reason
    taken = {student.line for students in found.values() for student in students}
    missing = tuple(student for student in roster.students if student.line not in taken)
    return Matching(found, dict(sorted(unmatched.items())), missing)


def _students(
    name: str, owner: Owner | None, roster: Roster, index: Mapping[str, Sequence[Student]]
) -> tuple[Student, ...] | str:
    """Return the students of a submission, or why there are none."""
    keys = [name] if owner is None else [key for key in (owner.student_id, owner.email) if key]
    key = next((key for key in keys if key.casefold() in index), None)
    if key is None:
        return _group(owner, roster) or f"{roster.source} has no student with {' or '.join(keys)}"
    students = index[key.casefold()]
    if len(students) > 1:
        labels = ", ".join(student.label for student in students)
        return f"{key} stands for {len(students)} students of {roster.source}: {labels}"
    if owner is not None and _is_other(owner, students[0], roster):
        return _group(owner, roster) or (
            f"{key} is {students[0].label} in {roster.source}, but the submission is of {owner.name}"
        )
    return (students[0],)


def _is_other(owner: Owner, student: Student, roster: Roster) -> bool:
    """Whether a number of Moodle is another one: teams and participants are counted separately."""
    if roster.kind is not Kind.MOODLE or not owner.name or student.number.startswith(owner.name):
        return False
    return bool(student.name) and _letters(owner.name) != _letters(student.name)


def _letters(name: str) -> list[str]:
    """Return the letters of a name in any order, for platforms turn names round and drop signs."""
    return sorted(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def _group(owner: Owner | None, roster: Roster) -> tuple[Student, ...]:
    """Return the members of the team that a submission of Moodle is named after."""
    if owner is None or not owner.name:
        return ()
    return tuple(student for student in roster.students if student.group == owner.name)


def _contested(found: Mapping[str, tuple[Student, ...]]) -> dict[str, str]:
    """Return the submissions that share a student with another one."""
    claims: defaultdict[int, list[str]] = defaultdict(list)
    by_line = {student.line: student for students in found.values() for student in students}
    for name, students in found.items():
        for student in students:
            claims[student.line].append(name)
    return {
        name: f"{by_line[line].label} has {len(names)} submissions: {listed(sorted(names))}"
        for line, names in claims.items()
        if len(names) > 1
        for name in names
    }
