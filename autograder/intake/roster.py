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
    """One row: ``number`` is the platform's own, ``student_id`` the school's; ``cells`` is the whole row."""

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
        """How to speak of the student in a message."""
        known = self.student_id or self.login or self.email or self.number
        return f"{self.name} ({known})" if self.name else known


@dataclass(frozen=True)
class Roster:
    """A class, as a CSV file lists it.

    ``kind`` is the platform that wrote the file, or ``plain``; ``columns`` are those of the file, in its
    order; ``extra`` are rows that describe no student. With ``teams_share_numbers``, the platform numbers
    teams apart from students, so that a team may have a student's number.
    """

    source: str
    kind: str
    columns: tuple[str, ...]
    students: tuple[Student, ...]
    extra: tuple[Mapping[str, str], ...] = ()
    teams_share_numbers: bool = False


@dataclass(frozen=True)
class Matching:
    """The students of each submission, why the others have none, and the students without a submission.

    ``doubtful`` are those of them whom an unmatched submission may well belong to, also by its name.
    """

    found: Mapping[str, tuple[Student, ...]]
    unmatched: Mapping[str, str]
    missing: tuple[Student, ...]
    doubtful: frozenset[Student] = frozenset()


def team_name(group: str) -> str:
    """Return how GitHub Classroom calls a group's repository, behind the assignment."""
    return re.sub(r"\W+", "-", group.casefold()).strip("-")


def keys_of(student: Student) -> Iterator[str]:
    """Yield what identifies a student; Moodle's "Participant 12345" also as its number."""
    participant = re.fullmatch(r"\D*?(\d+)", student.number)
    ids = (student.student_id, student.number, student.login, student.email)
    yield from filter(None, (*ids, participant and participant[1]))


Index = Mapping[str, Sequence[Student]]
"""Students by one of the things that identify them, in lower case."""


def _index(
    students: Sequence[Student], keys: Callable[[Student], Iterable[str]]
) -> Index:
    index: defaultdict[str, list[Student]] = defaultdict(list)
    for student in students:
        for key in {key.casefold() for key in keys(student) if key}:
            index[key].append(student)
    return index


def match_roster(
    owners: Mapping[str, Owner | None], roster: Roster, stubs: Collection[str] = ()
) -> Matching:
    """Match submissions, given by name with what the platform said of them, with a roster.

    An identifier must lead to one student only, and a student to one submission only; everything else is
    left to a person. A submission without an owner is matched by its own name, or by what stands in it before
    the name of one of the ``stubs``. A login on GitHub is somebody's login and never an id, unless the roster
    has no logins at all.
    """
    index = _index(roster.students, keys_of)
    logins = _index(roster.students, lambda student: [student.login]) or index
    namesakes = _index(roster.students, lambda student: [_letters(student.name)])
    found: dict[str, tuple[Student, ...]] = {}
    unmatched: dict[str, str] = {}
    claims: defaultdict[Student, list[str]] = defaultdict(list)
    candidates: set[Student] = set()
    for name, owner in owners.items():
        # Of a file that is called ada_attention_scores.py the identifier is ada.
        cut = (
            re.sub(rf"[\s_-]+{re.escape(stem(stub))}$", "", name, flags=re.IGNORECASE)
            for stub in stubs
        )
        keys, keys_mean = [name, *cut], index
        if owner is not None:
            keys = [owner.student_id, owner.email]
            if owner.login and not any(keys):
                keys, keys_mean = [owner.login], logins
        students, reason = _students(
            list(dict.fromkeys(filter(None, keys))), owner, roster, keys_mean
        )
        candidates.update(students)
        if reason:
            candidates.update(
                namesakes.get(_letters(owner.name if owner else name), ())
            )
            unmatched[name] = reason
            continue
        found[name] = students
        for student in students:
            claims[student].append(name)
    for student, names in claims.items():
        for name in names if len(names) > 1 else ():
            found.pop(name, None)
            unmatched[name] = (
                f"{student.label} has {len(names)} submissions: {listed(sorted(names))}"
            )
    taken = {student for students in found.values() for student in students}
    missing = tuple(student for student in roster.students if student not in taken)
    return Matching(
        found, dict(sorted(unmatched.items())), missing, frozenset(candidates - taken)
    )


def _students(
    keys: Sequence[str], owner: Owner | None, roster: Roster, index: Index
) -> tuple[tuple[Student, ...], str]:
    """Return the students of a submission; with a reason, those it may be of and why nobody can say."""
    key = next((key for key in keys if key.casefold() in index), None)
    students = tuple(index[key.casefold()]) if key else ()
    if len(students) > 1:
        labels = ", ".join(student.label for student in students)
        return (
            students,
            f"{key} stands for {len(students)} students of {roster.source}: {labels}",
        )
    if not students:
        reason = f"{roster.source} has no student with {' or '.join(keys)}"
    elif owner is None or not _is_other(owner, students[0], roster):
        return students, ""
    else:
        reason = f"{key} is {students[0].label} in {roster.source}, but the submission is of {owner.name}"
    team = (
        owner.name if owner else ""
    )  # Moodle and GitHub name the submission of a team after it
    members = tuple(
        one
        for one in roster.students
        if team and team in (one.group, team_name(one.group))
    )
    return (members, "") if members else (students, reason)


def _is_other(owner: Owner, student: Student, roster: Roster) -> bool:
    """Whether a number of Moodle is another one: teams and participants are counted separately."""
    if (
        not roster.teams_share_numbers
        or not owner.name
        or student.number.startswith(owner.name)
    ):
        return False
    return bool(student.name) and _letters(owner.name) != _letters(student.name)


def _letters(name: str) -> str:
    """Return the letters of a name, sorted, for platforms turn names round and drop signs."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sorted(letter for letter in letters if letter.isalnum()))
