"""The records of a roster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from autograder.errors import KitError


class RosterError(KitError):
    """The roster cannot be used; the message names the file and the remedy."""


class Kind(StrEnum):
    """Which program wrote a roster, told from its columns."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    PLAIN = "plain"


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
    kind: Kind
    columns: tuple[str, ...]
    students: tuple[Student, ...]
    extra: tuple[Mapping[str, str], ...] = ()
