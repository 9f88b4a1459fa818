"""The last exports: when and where to, which points each student got, and whether points have changed since."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

import msgspec

from autograder.gradebook.book import Gradebook
from autograder.policy.grade import SubmissionGrade

EXPORTS = "exports"
"""The gradebook's setting that lists the last export of each kind, the latest at the end."""
TOTAL = "total"
Points: TypeAlias = Mapping[str, float | None]
"""The points of students by their identifiers; None is a blank."""


@dataclass(frozen=True)
class LastExport:
    """An export to a platform.

    Attributes:
        platform: where to.
        what: a homework or the total.
        is_feedback: whether students got feedback instead of points.
        when: its time.
        digest: stands for the points of all submissions at that time.
        column: the platform's column; blank for feedback.
        points: what was written for each student; None for feedback, and where an earlier version exported.
    """

    platform: str
    what: str
    is_feedback: bool
    when: dt.datetime
    digest: str
    column: str = ""
    points: Points | None = None

    @property
    def kind(self) -> tuple[str, str, str, bool]:
        """What makes an export replace an earlier one."""
        return self.platform, self.column, self.what, self.is_feedback

    def is_outdated(self, grades: Iterable[SubmissionGrade]) -> bool:
        """Return whether points have changed since."""
        return points_digest(grades, self.what) != self.digest


def points_digest(grades: Iterable[SubmissionGrade], what: str) -> str:
    """Return a fingerprint of the points that count, in one homework or in all."""
    points = []
    for grade in grades:
        for homework in grade.homeworks:
            if what in (TOTAL, homework.homework):
                points.append((grade.name, homework.homework, homework.earned))
    text = json.dumps(sorted(points))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def keep_export(
    book: Gradebook,
    grades: Iterable[SubmissionGrade],
    platform: str,
    what: str,
    column: str = "",
    points: Points | None = None,
) -> None:
    """Keep that something was exported now, in place of an earlier export of the same kind.

    Args:
        book: the gradebook.
        grades: the grades of all submissions.
        platform: where to.
        what: a homework or the total.
        column: the platform's column of points.
        points: the points by student; None for feedback.
    """
    export = LastExport(
        platform,
        what,
        is_feedback=points is None,
        when=dt.datetime.now(dt.UTC).replace(microsecond=0),
        digest=points_digest(grades, what),
        column=column,
        points=points,
    )
    others = []
    for other in last_exports(book):
        if other.kind != export.kind:
            others.append(other)
    rows = [asdict(other) for other in (*others, export)]
    book.set(EXPORTS, msgspec.json.encode(rows).decode())


def last_exports(book: Gradebook) -> list[LastExport]:
    """Return the last export of each kind, the latest at the end."""
    text = book.find_setting(EXPORTS) or "[]"
    return msgspec.json.decode(text, type=list[LastExport])


def exported_points(
    book: Gradebook, platform: str, what: str, column: str
) -> Points | None:
    """Return the points that students got last in a platform's column, None if they got none."""
    for export in last_exports(book):
        if export.kind == (platform, column, what, False):
            return export.points
    return None


def exports_of_points(exports: Sequence[LastExport]) -> Sequence[LastExport]:
    """Return the exports of points; those of feedback in a class that never exports points."""
    of_points = []
    for export in exports:
        if not export.is_feedback:
            of_points.append(export)
    return of_points or exports


def outdated_feedback(
    exports: Sequence[LastExport], grades: Iterable[SubmissionGrade]
) -> list[LastExport]:
    """Return the exports of feedback since which points have changed, in a class that exports points as well."""
    grades = list(grades)
    of_points = exports_of_points(exports)
    outdated = []
    for export in exports:
        if export not in of_points and export.is_outdated(grades):
            outdated.append(export)
    return outdated


def outdated_exports(
    exports: Sequence[LastExport], grades: Iterable[SubmissionGrade]
) -> list[str]:
    """Return the homeworks, or the total, whose points have changed since each was last exported."""
    last_of = {export.what: export for export in exports_of_points(exports)}
    grades = list(grades)
    outdated = []
    for what, export in last_of.items():
        if export.is_outdated(grades):
            outdated.append(what)
    return outdated
