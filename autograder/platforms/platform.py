"""A learning platform: how its downloads are recognised and read, and how grades go back to it.

A distribution adds its own platform with an entry point of the group ``autograder.platforms``: the name
of the platform, and a class that implements ``Platform`` (docs/lms.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.errors import KitError
from autograder.feedback.words import with_bonus
from autograder.intake.download import Item
from autograder.intake.roster import Roster, Student
from autograder.intake.submission import Discovery
from autograder.policy.grade import HomeworkGrade, SubmissionGrade, points_of

DEFAULT_COLUMN = "Grade"


class ExportError(KitError):
    """An export cannot be made; the message says what to do."""


@dataclass(frozen=True)
class StudentGrade:
    """The points of one student; blank points are for a person to fill in, and never mean zero.

    ``result`` is the student's submission, None for a student without one.
    """

    student: Student
    points: float | None
    homeworks: tuple[HomeworkGrade, ...] = ()
    result: SubmissionGrade | None = None

    @property
    def comment(self) -> str:
        """The points of each homework in the course's own words; nothing that a student wrote."""
        texts = []
        for homework in self.homeworks:
            points = f"{points_of(homework.earned)} of {homework.points:g}"
            points = with_bonus(points, homework.bonus)
            texts.append(f"{homework.title}: {points} ({homework.status})")
        return "; ".join(texts)


@dataclass(frozen=True)
class Export:
    """A file or folder for a platform to import.

    Attributes:
        left_out: by line of the roster, why a student is missing.
        repeated: students without points for whom the file repeats the grade that the platform has, because
            a blank would delete it there.
    """

    path: Path
    left_out: Mapping[int, str]
    repeated: Sequence[Student] = ()


class Platform(Protocol):
    """A learning platform.

    Subclasses need ``name``, ``title``, ``example``, ``is_named``, ``is_download`` and ``read``; the rest has
    defaults.

    ``name`` is the value of ``--layout`` and ``--to``, ``title`` stands in messages, and ``example`` is a
    name as the platform gives it to a file or folder of a download.
    """

    name: str
    title: str
    example: str

    # Reading a download

    tables: Collection[str] = ()
    """Files at the top of a download that are nobody's submission."""
    codes: Mapping[str, str] = {}
    """How submissions of hidden students begin, and what to tell the staff about them."""

    def is_named(self, item: Item) -> bool:
        """Return whether a file or folder at the top of a download has a name of this platform."""
        ...

    def is_download(self, items: Sequence[Item]) -> bool:
        """Return whether these items surely come from this platform, and are not a student's own files."""
        ...

    def read(self, items: Sequence[Item], stubs: Collection[str]) -> Discovery:
        """Return the submissions of a download, each with its owner as far as the platform says.

        Args:
            items: the files and folders at the top of the download.
            stubs: the file names of the course's stubs.
        """
        ...

    def resembles(self, items: Sequence[Item]) -> bool:
        """Return whether so many names are like the platform's that reading them as plain needs a note."""
        return any(map(self.is_named, items))

    # Reading a roster

    table_title: str = ""
    """What the platform's own table of students is called; blank if it takes no table back."""
    teams_share_numbers: bool = False
    """Whether teams are numbered apart from students, so that a team may have a student's number."""

    def roster_columns(
        self, columns: Mapping[str, str]
    ) -> Mapping[str, str | None] | None:
        """Return the columns that mean something else in this platform's tables; None for other tables.

        Args:
            columns: a table's columns by their names in lower case.

        Returns:
            by field of ``Student``, the column that holds it, or None if no column does.
        """
        return None

    def roster_columns_by_form(
        self, header: Sequence[str], rows: Sequence[Mapping[str, str]]
    ) -> Mapping[str, str | None] | None:
        """Return the columns of this platform's table by what is in them; None for other tables.

        Asked only if no platform knows a table by the names of its columns.

        Args:
            header: the names of the columns.
            rows: the cells of each row, by the names of the columns.

        Returns:
            by field of ``Student``, the column that holds it, or None if no column does.
        """
        return None

    def is_extra_row(self, first_cell: str) -> bool:
        """Return whether a row of the platform's table, by its first filled cell, describes no student."""
        return False

    def is_staff_row(self, cells: Mapping[str, str]) -> bool:
        """Return whether a row of the platform's table, its cells by column, is an instructor's or assistant's."""
        return False

    # Writing grades

    takes_grades: bool = False
    """Whether ``autograder export --to`` writes grades for it."""
    includes_missing: bool = True
    """Whether students without a submission are in the file that the platform imports."""
    deletes_blanks: bool = False
    """Whether the platform deletes a student's grade where the file has a blank."""
    above_maximum: str = ""
    """What the platform does with points above its own maximum, and what to do about it."""

    def column(self, roster: Roster, column: str | None) -> str:
        """Return the column for the points, where ``column`` is the one that the user named.

        Raises:
            ExportError: a column is needed, or none can be chosen.
        """
        return column or DEFAULT_COLUMN

    def write_grades(
        self,
        folder: Path,
        roster: Roster,
        grades: Sequence[StudentGrade],
        column: str,
    ) -> Export:
        """Write the platform's import files into a folder.

        Raises:
            ExportError: the platform could not import it; nothing is written then.
        """
        raise ExportError(f"{self.title} takes no grades from a file")

    def maxima(self, roster: Roster, column: str) -> Mapping[int, float]:
        """Return the platform's own maximum for each student, by line of the roster, if the roster has it."""
        return {}

    # Handing out feedback

    needs_download: bool = False
    """Whether feedback goes back under the names that files have in the download that was graded."""
    nameless: str = ""
    """Why a student cannot be handed feedback by this platform."""

    def check_feedback(self, download: Path | None) -> None:
        """Refuse feedback that the platform cannot hand out; ``download`` is the one that was graded.

        Raises:
            ExportError: it cannot; the message says what to do.
        """
        raise ExportError(f"{self.title} hands out no feedback: leave --feedback out")

    def feedback_name(self, student: Student, uploads: Sequence[str]) -> str:
        """Return the file name under which the platform hands out feedback to a student; "" if it cannot.

        Args:
            student: the student, as in the roster.
            uploads: the names of the student's files in the graded download, if it ``needs_download``.
        """
        return ""
