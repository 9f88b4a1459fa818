"""Which column of a roster means what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from autograder.roster.model import Kind

# Names of columns as Canvas's gradebook export, Moodle's grading worksheet and grader report, and
# Gradescope's roster write them, and as people write them by hand. The first one that is there counts.
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "student_id": ("student id", "sis user id", "sis id", "sid", "student number", "id number", "id"),
    "number": ("identifier", "canvas id", "canvas user id", "participant"),
    "login": ("sis login id", "login id", "login", "username", "user name", "netid"),
    "email": ("email", "email address", "e-mail", "e-mail address"),
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "section": ("section", "sections"),
    "group": ("group",),
}
IDENTIFYING = ("student_id", "number", "login", "email")
_CANVAS = {"id", "section"}
_MOODLE = {"identifier", "grade", "last modified (grade)"}


def meanings(columns: Sequence[str]) -> dict[str, str]:
    """Return the column that each meaning has, for the meanings that are there.

    In an export of Canvas "ID" is Canvas's own number; elsewhere it is taken for the school's.
    """
    plain = {_plain(column): column for column in reversed(columns)}
    found = {
        meaning: next((plain[name] for name in names if name in plain), None)
        for meaning, names in MEANINGS.items()
    }
    if kind_of(columns) is Kind.CANVAS:
        found |= {"number": plain["id"], "student_id": plain.get("sis user id")}
    return {meaning: column for meaning, column in found.items() if column is not None}


def kind_of(columns: Sequence[str]) -> Kind:
    """Tell an export of Canvas's gradebook and a grading worksheet of Moodle from other rosters."""
    plain = {_plain(column) for column in columns}
    if plain >= _CANVAS and plain & {"student", "lastname"}:
        return Kind.CANVAS
    return Kind.MOODLE if plain >= _MOODLE else Kind.PLAIN


def _plain(column: str) -> str:
    return re.sub(r"[\s_]+", " ", column).strip().casefold()
