"""Rosters, matched with submissions by identifiers, never by names that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.intake.naming import listed, stem
from autograder.intake.submission import Owner


@dataclass(frozen=True)
class Student:
    """One row of a roster.

    ``number`` is the platform's own number, ``student_id`` the school's; ``cells`` is the whole row, ``line``
    where it is in the file.
    """

    name: str
    student_id: str = ""
    number: str = ""
    login: str = ""
    email: str = ""
    section: str = ""
    group: str = ""
    line: int = 0
    cells: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        """The student's name and identifier, for messages."""
        identifier = self.student_id or self.login or self.email or self.number
        if self.name:
            return f"{self.name} ({identifier})"
        return identifier


@dataclass(frozen=True)
class Roster:
    """A class, as a CSV file lists it.

    ``kind`` is the platform that wrote the file, or ``plain``; ``columns`` are those of the file, in its
    order; ``extra`` are rows that describe no student, ``note`` is what the reader had to guess. With
    ``teams_share_numbers``, the platform numbers teams apart from students, so that a team may have a
    student's number.
    """

    source: str
    kind: str
    columns: tuple[str, ...]
    students: tuple[Student, ...]
    extra: tuple[Mapping[str, str], ...] = ()
    teams_share_numbers: bool = False
    note: str = ""


@dataclass(frozen=True)
class RosterMatch:
    """Whose the submissions of a class are.

    Attributes:
        found: the students of each submission, by its name; several for a team.
        unmatched: the submissions that are nobody's, with the reason.
        missing: the students without a submission.
        doubtful: those of them whom an unmatched submission may well belong to, also by its name.
    """

    found: Mapping[str, tuple[Student, ...]]
    unmatched: Mapping[str, str]
    missing: tuple[Student, ...]
    doubtful: frozenset[Student] = frozenset()


Index = Mapping[str, Sequence[Student]]
"""Students by one of their identifiers, in lower case."""


def team_name(group: str) -> str:
    """Return the name that GitHub Classroom gives to a group's repository, after the assignment."""
    return re.sub(r"\W+", "-", group.casefold()).strip("-")


def keys_of(student: Student) -> Iterator[str]:
    """Yield a student's identifiers; Moodle's "Participant 12345" also as its number."""
    for key in (student.student_id, student.number, student.login, student.email):
        if key:
            yield key
    participant = re.fullmatch(r"\D*?(\d+)", student.number)
    if participant is not None:
        yield participant[1]


def _index(
    students: Sequence[Student], keys: Callable[[Student], Iterable[str]]
) -> Index:
    index: defaultdict[str, list[Student]] = defaultdict(list)
    for student in students:
        folded_keys = set(map(str.casefold, keys(student)))
        for key in folded_keys - {""}:
            index[key].append(student)
    return index


def match_roster(
    owners: Mapping[str, Owner | None], roster: Roster, stubs: Collection[str] = ()
) -> RosterMatch:
    """Match submissions with a roster.

    An identifier must lead to one student only, and a student to one submission only; everything else is
    left to a person. A submission without an owner is matched by its own name, or by the part of it before
    the name of one of the ``stubs``. A login on GitHub is somebody's login and never an id, unless the roster
    has no logins at all.

    Args:
        owners: the submissions by name, each with its owner as far as the platform says.
        roster: the class.
        stubs: the file names of the course's stubs.
    """
    by_key = _index(roster.students, keys_of)
    by_login = _index(roster.students, lambda student: [student.login]) or by_key
    by_letters = _index(roster.students, lambda student: [_letters(student.name)])
    students_of: dict[str, tuple[Student, ...]] = {}
    unmatched: dict[str, str] = {}
    candidates: set[Student] = set()
    for name, owner in owners.items():
        index = by_key
        if owner is None:
            keys = [name]
            for stub in stubs:  # ``ada`` of a file ``ada_attention_scores.py``
                pattern = rf"[\s_-]+{re.escape(stem(stub))}$"
                keys.append(re.sub(pattern, "", name, flags=re.IGNORECASE))
        elif owner.login and not owner.student_id and not owner.email:
            keys = [owner.login]
            index = by_login
        else:
            keys = [owner.student_id, owner.email]
        keys = list(filter(None, dict.fromkeys(keys)))
        students, reason = _students(keys, owner, roster, index)
        candidates.update(students)
        if reason:
            full_name = name
            if owner is not None:
                full_name = owner.name
            candidates.update(by_letters.get(_letters(full_name), ()))
            unmatched[name] = reason
        else:
            students_of[name] = students

    submissions_of: defaultdict[Student, list[str]] = defaultdict(list)
    for name, students in students_of.items():
        for student in students:
            submissions_of[student].append(name)
    for student, names in submissions_of.items():
        if len(names) == 1:
            continue
        submissions = listed(sorted(names))
        for name in names:
            students_of.pop(name, None)
            unmatched[name] = (
                f"{student.label} has {len(names)} submissions: {submissions}"
            )

    matched = set[Student]().union(*students_of.values())
    missing = []
    for listed_student in roster.students:
        if listed_student not in matched:
            missing.append(listed_student)
    return RosterMatch(
        found=students_of,
        unmatched=dict(sorted(unmatched.items())),
        missing=tuple(missing),
        doubtful=frozenset(candidates - matched),
    )


def _students(
    keys: Sequence[str], owner: Owner | None, roster: Roster, index: Index
) -> tuple[tuple[Student, ...], str]:
    """Return the students of a submission; or those it may be of, with the reason why that is unclear."""
    known_key = None
    for key in keys:
        if key.casefold() in index:
            known_key = key
            break
    students: tuple[Student, ...] = ()
    if known_key is not None:
        students = tuple(index[known_key.casefold()])
        if len(students) > 1:
            labels = ", ".join(student.label for student in students)
            reason = f"{known_key} matches {len(students)} students of {roster.source}: {labels}"
            return students, reason
        if owner is None or not _is_other(owner, students[0], roster):
            return students, ""
        reason = (
            f"{known_key} is {students[0].label} in {roster.source}, but the submission belongs "
            f"to {owner.name}"
        )
    else:
        reason = f"{roster.source} has no student with {' or '.join(keys)}"
    # Moodle and GitHub name the submission of a team after the team.
    team = ""
    if owner is not None:
        team = owner.name
    members = []
    if team:
        for student in roster.students:
            if team in (student.group, team_name(student.group)):
                members.append(student)
    if members:
        return tuple(members), ""
    return students, reason


def _is_other(owner: Owner, student: Student, roster: Roster) -> bool:
    """Return whether a number is that of a team, and the student only happens to have the same one."""
    if not roster.teams_share_numbers or not owner.name or not student.name:
        return False
    participant = re.sub(r"\W", "", student.number)
    if participant.startswith(owner.name):  # "Participant", where marking is blind
        return False
    # Where a group of the class was chosen, its name and a hyphen stand before that of the student, and
    # either may have further hyphens.
    student_letters = _letters(student.name)
    parts = owner.name.split("-")
    for first in range(len(parts)):
        name = "-".join(parts[first:])
        if _letters(name) == student_letters:
            return False
    return True


def _letters(name: str) -> str:
    """Return the letters of a name, sorted, because platforms turn names round and drop signs."""
    normal = unicodedata.normalize("NFKD", name).casefold()
    letters = filter(str.isalnum, normal)
    return "".join(sorted(letters))
