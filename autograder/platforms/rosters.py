"""Read rosters from CSV, as platforms write them and people do by hand."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.csv_table import TableError, parse_table, read_bytes
from autograder.gradebook.book import Gradebook
from autograder.intake.roster import Roster, RosterMatch, Student, match_roster
from autograder.intake.submission import PLAIN, Owner, Submission
from autograder.platforms.platform import Platform
from autograder.platforms.registry import platforms

# Names of columns as Canvas's gradebook export, Moodle's grading worksheet and grader report, Gradescope's
# roster and GitHub Classroom's tables write them, and people by hand. The first one in the table counts.
COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {
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
ROSTER = "roster"
"""The gradebook's setting that holds the class: the file's name and its bytes in base64."""
IDENTIFYING = ("student_id", "number", "login", "email")
_MAX_COLUMNS_SHOWN = 12


def columns_of(
    header: Sequence[str], known_platforms: Sequence[Platform]
) -> tuple[Platform | None, dict[str, str]]:
    """Return the platform that wrote a roster, and the column for each field of a student.

    "ID" is Canvas's own number in its exports, and taken for the school's elsewhere. "Identifier" is Moodle's
    own number, and in the tables of GitHub Classroom what the school calls the student.
    """
    column_by_name = {}
    for column in reversed(header):  # of two equal names, the first counts
        name = re.sub(r"[\s_]+", " ", column).strip().casefold()
        column_by_name[name] = column
    columns: dict[str, str | None] = {}
    for field, names in COLUMN_NAMES.items():
        named_columns = map(column_by_name.get, names)
        columns[field] = next(filter(None, named_columns), None)
    writer = None
    for platform in known_platforms:
        own_columns = platform.roster_columns(column_by_name)
        if own_columns is None:
            continue
        columns.update(own_columns)
        if writer is None and platform.table_title:
            writer = platform
    present = {}
    for field, present_column in columns.items():
        if present_column is not None:
            present[field] = present_column
    return writer, present


def read_roster(path: Path) -> Roster:
    """Return the class that a CSV file lists; see ``parse_roster``."""
    return parse_roster(read_bytes(path), path)


def keep_roster(book: Gradebook, path: Path) -> None:
    """Keep a copy of a roster's file, so that every later command knows whose the submissions are."""
    table = base64.b64encode(read_bytes(path)).decode()
    book.set(ROSTER, json.dumps({"name": path.name, "table": table}))


def kept_roster(book: Gradebook) -> Roster | None:
    """Return the roster that ``keep_roster`` kept last; None where no roster was ever given."""
    text = book.find_setting(ROSTER)
    if text is None:
        return None
    file = json.loads(text)
    return parse_roster(base64.b64decode(file["table"]), Path(file["name"]))


def parse_roster(data: bytes, path: Path) -> Roster:
    """Return the class that a table lists, one student per row below one row of column names.

    Args:
        data: the table.
        path: the file that it is from, for messages.

    Raises:
        TableError: it is no table, no column identifies a student, or there is no student.
    """
    known_platforms = list(platforms().values())

    def count_known(header: Sequence[str]) -> int:
        _, known_columns = columns_of(header, known_platforms)
        return len(known_columns)

    table = parse_table(data, str(path), count_known)
    header = table.header
    writer, columns = columns_of(header, known_platforms)
    rows = []
    for _, row in table.rows:
        if any(cell.strip() for cell in row):
            rows.append(dict(zip(header, row, strict=False)))
    for platform in known_platforms:
        by_form = None
        if writer is None:
            by_form = platform.roster_columns_by_form(header, rows)
        if by_form is not None:
            writer = platform
            for field, column in by_form.items():
                columns.pop(field, None)
                if column is not None:
                    columns[field] = column
    if columns.keys().isdisjoint(IDENTIFYING):
        missing: list[str] = []
        for field in IDENTIFYING:
            missing.extend(COLUMN_NAMES[field][:2])
        choices = ", ".join(map(repr, missing))
        present = ", ".join(map(repr, header[:_MAX_COLUMNS_SHOWN])) or "none"
        raise TableError(
            f"{path} has no column that identifies a student: it has {present}; wanted is one of {choices}"
        )
    students = []
    extra_rows = []
    seen_rows = set()
    for line, row in table.rows:
        cells = dict(zip(header, row, strict=False))
        stripped = [cell.strip() for cell in row]
        first_filled = next(filter(None, stripped), "")
        if not first_filled:
            continue
        is_extra = writer is not None and (
            writer.is_extra_row(first_filled) or writer.is_staff_row(cells)
        )
        if is_extra:
            extra_rows.append(cells)
        elif tuple(stripped) not in seen_rows:  # twice word for word is once
            seen_rows.add(tuple(stripped))
            students.append(_student(cells, columns, line))
    if not students:
        raise TableError(f"{path} lists no students: export the roster again")
    return Roster(
        path.name,
        writer.name if writer is not None else PLAIN,
        header,
        tuple(students),
        tuple(extra_rows),
        teams_share_numbers=writer is not None and writer.teams_share_numbers,
        note=table.note,
    )


def _student(
    cells: Mapping[str, str], columns: Mapping[str, str], line: int
) -> Student:
    values = {}
    for field, column in columns.items():
        values[field] = cells.get(column, "").strip()
    first_name = values.pop("first", "")
    last_name = values.pop("last", "")
    if "@" in values.get("student_id", ""):  # an address that serves as the id
        values.setdefault("email", values["student_id"])
    name = values.pop("name", "") or f"{first_name} {last_name}".strip()
    return Student(name, **values, line=line, cells=cells)


@dataclass(frozen=True)
class KnownStudents:
    """Submissions with their students as a roster knows them, the names of these, and who does not match."""

    submissions: list[Submission]
    names: Collection[str]
    matching: RosterMatch


def find_students(
    submissions: Sequence[Submission],
    roster: Roster,
    stubs: Collection[str],
    earlier_owners: Mapping[str, Owner],
) -> KnownStudents:
    """Find the students of submissions in a roster; a team's submission stays the team's.

    Args:
        submissions: those at hand.
        roster: the class.
        stubs: the names of the stubs, which are no names of students.
        earlier_owners: whose the submissions were that were graded before. Students are missing if they have a
            submission neither among these nor at hand.
    """
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
    school_ids = {student.student_id for student in roster.students}
    names = []
    with_owners = []
    for submission in submissions:
        owner = submission.owner
        students = matching.found.get(submission.name, ())
        if len(students) == 1:
            names.append(submission.name)
            owner = _owner_in_roster(students[0], owner or Owner(""), school_ids)
        with_owners.append(replace(submission, owner=owner))
    return KnownStudents(with_owners, names, replace(matching, missing=tuple(missing)))


def _owner_in_roster(
    student: Student, platform_owner: Owner, school_ids: Collection[str]
) -> Owner:
    """Return the owner of a submission as the roster knows the student, with what only the platform says."""
    student_id = student.student_id
    if not student_id and platform_owner.student_id not in school_ids:
        student_id = platform_owner.student_id  # it is nobody else's
    return replace(
        platform_owner,
        student_id=student_id,
        name=student.name or platform_owner.name,
        email=student.email or platform_owner.email,
        login=student.login or platform_owner.login,
    )
