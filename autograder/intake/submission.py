"""The records that pass between the steps of reading submissions.

A ``Submission`` says where one student's work lies, a ``SourceFile`` is one file of it, and a ``Handin`` the code
that it holds for one homework.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import KitError
from autograder.sandbox.request import Code
from autograder.untrusted_text import name_in_message

AUTO = "auto"
"""The layout of paths that are recognised by the names in them."""
PLAIN = "plain"
"""The layout of paths, and the kind of rosters, that no platform wrote."""


class SubmissionError(KitError):
    """A path that the caller named holds no submissions; the message says what to do."""


@dataclass(frozen=True)
class Owner:
    """The student or team that handed in a submission, as far as the platform's download says.

    Attributes:
        student_id: an id of the school, or where the download has none, a number of the platform. A roster keeps
            the two apart, as ``student_id`` and ``number`` of a ``Student``.
        name: the full name of the student, or the name of the team.
        submitted_at: when it was handed in, with a time zone.
        late: the platform's flag, None where it has none.
        attempt: how often the student has handed in, this submission included.
        email: the student's address.
        login: the name of an account on GitHub (or of a team there), which may look like somebody else's id; or
            the school's login as a roster has it.
    """

    student_id: str
    name: str = ""
    submitted_at: dt.datetime | None = None
    late: bool | None = None
    attempt: int | None = None
    email: str = ""
    login: str = ""


@dataclass(frozen=True)
class SubmissionPart:
    """A part of one student's submission within a class's download.

    ``path`` is a file or folder, or a downloaded zip with ``member`` in it (a folder's ends in ``/``).
    ``inside`` is its path within the submission, empty for a folder that stands for all of it.
    """

    path: Path
    inside: str = ""
    member: str = ""
    note: str = ""


@dataclass(frozen=True)
class Submission:
    """One submission: its name, which is unique in the batch and a valid file name, and its place.

    With ``parts`` it is gathered from a class's download, and ``path`` is only for messages. While
    submissions are still being found, ``name`` is that on disk or on the platform.
    """

    name: str
    path: Path
    owner: Owner | None = None
    parts: tuple[SubmissionPart, ...] = ()


@dataclass(frozen=True)
class Discovery:
    """The submissions of a batch or a download, and notes on them for the caller."""

    submissions: tuple[Submission, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A ``.py`` or ``.ipynb`` of a submission; ``path`` is relative, with ``/``, and printable."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Problem:
    """A problem of a submission, in words that its student reads; ``remedy`` is only for the staff.

    ``cause`` is equal for equal problems, whatever the files are called. ``names_command`` says that the
    remedy has a command in it, for which a table has no room.
    """

    text: str
    remedy: str = ""
    cause: str = ""
    names_command: bool = False

    @classmethod
    def of(cls, path: str, text: str, remedy: str = "") -> Problem:
        """Return the problem of a file."""
        return cls(f"{name_in_message(path)} {text}", remedy, text)

    @property
    def staff(self) -> str:
        """The text for the staff: the student's text, and the staff's remedy."""
        if self.remedy:
            return f"{self.text}, or {self.remedy}"
        return self.text


@dataclass(frozen=True)
class ReadResult:
    """The files of one submission; ``others`` counts files of other kinds, the first few are named."""

    files: tuple[SourceFile, ...] = ()
    problems: tuple[Problem, ...] = ()
    others: int = 0
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Handin:
    """A submission's code for one homework; ``origin`` is the file's path inside the submission.

    ``recognised`` says that the homework was recognised by the functions in it, not by its name. ``fits``
    are the other homeworks whose functions it defines in place of these; ``named_for`` those that a
    recognised file is named for.
    """

    homework: str
    code: Code
    origin: str
    notes: tuple[str, ...] = ()
    recognised: bool = False
    fits: tuple[str, ...] = ()
    named_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionHandins:
    """The hand-ins of one submission, at most one for each homework.

    ``problems`` starts with those of reading the submission, so that nobody has to join the two lists.
    """

    handins: tuple[Handin, ...]
    problems: tuple[Problem, ...] = ()
