"""Rosters: read from CSV, and matched with submissions by identifiers, never by names that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.intake.csv_table import TableError, read_table
from autograder.intake.naming import listed, stem
from autograder.intake.submission import Layout, Owner


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
    """A class; ``columns`` are those of the file, in its order; ``extra`` are rows above the students."""

    source: str
    kind: Layout
    columns: tuple[str, ...]
    students: tuple[Student, ...]
    extra: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Matching:
    """The students of each submission, why the others have none, and the students without a submission.

    ``doubtful`` are those of them whom an unmatched submission may well belong to, also by its name.
    """

    found: Mapping[str, tuple[Student, ...]]
    unmatched: Mapping[str, str]
    missing: tuple[Student, ...]
    doubtful: frozenset[Student] = frozenset()


# Names of columns as Canvas's gradebook export, Moodle's grading worksheet and grader report, Gradescope's
# roster and GitHub Classroom's tables write them, and people by hand. The first one that is there counts.
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "student_id": (
        "student id",
        "sis user id",
        "sis id",
        "sid",
        "student number",
        "id number",
        "id",
    ),
    "number": ("identifier", "canvas id", "canvas user id", "participant"),
    "login": ("sis login id", "login id", "login", "username", "user name", "netid"),
    "email": ("email", "email address", "e-mail", "e-mail address"),
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "section": ("section", "sections"),
    "group": ("group", "group name"),
}
IDENTIFYING = ("student_id", "number", "login", "email")
_CANVAS = {"id", "section"}
_MOODLE = {"identifier", "grade", "last modified (grade)"}
_GRADESCOPE, _ROSTER_OR_GRADES = {"sid", "email"}, {"role", "total score"}
_CLASSROOM = "github username"
# How the rows of Canvas's export begin that describe the assignments and not a student.
_EXTRA_OF_CANVAS = re.compile(
    r"\s*(Points Possible|Manual Posting|Muted)\b", re.IGNORECASE
)


def meanings(columns: Sequence[str]) -> tuple[Layout, dict[str, str]]:
    """Return which program wrote a roster with these columns, and the column for each meaning.

    "ID" is Canvas's own number in its exports, and taken for the school's elsewhere. "Identifier" is Moodle's
    own number, and in the tables of GitHub Classroom what the school calls the student.
    """
    plain = {
        re.sub(r"[\s_]+", " ", name).strip().casefold(): name
        for name in reversed(columns)
    }
    found = {
        meaning: next((plain[name] for name in names if name in plain), None)
        for meaning, names in MEANINGS.items()
    }
    kind = Layout.MOODLE if plain.keys() >= _MOODLE else Layout.PLAIN
    if plain.keys() >= _GRADESCOPE and plain.keys() & _ROSTER_OR_GRADES:
        kind = Layout.GRADESCOPE
    if plain.keys() >= _CANVAS and plain.keys() & {"student", "lastname"}:
        kind = Layout.CANVAS
        found |= {"number": plain["id"], "student_id": plain.get("sis user id")}
    if _CLASSROOM in plain:
        own = plain.get("identifier", plain.get("roster identifier"))
        found |= {"login": plain[_CLASSROOM], "student_id": own, "number": None}
    return kind, {
        meaning: column for meaning, column in found.items() if column is not None
    }


def read_roster(path: Path) -> Roster:
    """Return the class that a CSV file lists, one student per row below one row of column names.

    Raises:
        TableError: the file cannot be read, no column identifies a student, or there is none.
    """
    table = read_table(path, lambda header: len(meanings(header)[1]))
    header = table.header
    kind, found = meanings(header)
    if not found.keys() & set(IDENTIFYING):
        wanted = ", ".join(
            repr(name) for meaning in IDENTIFYING for name in MEANINGS[meaning][:2]
        )
        there = ", ".join(map(repr, header[:12])) or "none"
        raise TableError(
            f"{path} has no column that identifies a student: it has {there}; wanted is one of {wanted}"
        )
    students, extra = [], []
    for line, row in table.rows:
        cells = dict(zip(header, row, strict=False))
        first_filled = next((cell for cell in row if cell.strip()), "")
        if kind is Layout.CANVAS and _EXTRA_OF_CANVAS.match(first_filled):
            extra.append(cells)
        elif first_filled:
            known = {
                meaning: cells.get(column, "").strip()
                for meaning, column in found.items()
            }
            both = known.pop("first", ""), known.pop("last", "")
            if "@" in known.get("student_id", ""):
                known.setdefault("email", known["student_id"])
            name = known.pop("name", "") or " ".join(filter(None, both))
            students.append(Student(name, **known, line=line, cells=cells))
    if not students:
        raise TableError(f"{path} lists no students: export the roster again")
    return Roster(path.name, kind, header, tuple(students), tuple(extra))


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
        roster.kind is not Layout.MOODLE
        or not owner.name
        or student.number.startswith(owner.name)
    ):
        return False
    return bool(student.name) and _letters(owner.name) != _letters(student.name)


def _letters(name: str) -> str:
    """Return the letters of a name, sorted, for platforms turn names round and drop signs."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sorted(letter for letter in letters if letter.isalnum()))
