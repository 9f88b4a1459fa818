"""When points or feedback were last exported, where to, and whether the points have changed since."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import msgspec

from autograder.gradebook.book import Gradebook
from autograder.policy.grade import SubmissionGrade

EXPORTS = "exports"
"""The gradebook's setting that lists the last export of each kind, the latest at the end."""
TOTAL = "total"


@dataclass(frozen=True)
class LastExport:
    """An export to a platform: ``what`` is a homework or the total, ``digest`` stands for the points then."""

    platform: str
    what: str
    is_feedback: bool
    when: dt.datetime
    digest: str

    @property
    def kind(self) -> tuple[str, str, bool]:
        """What makes an export replace an earlier one."""
        return self.platform, self.what, self.is_feedback

    def is_outdated(self, grades: Iterable[SubmissionGrade]) -> bool:
        """Whether points have changed since."""
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


def keep_last_export(
    book: Gradebook,
    grades: Iterable[SubmissionGrade],
    platform: str,
    what: str,
    *,
    is_feedback: bool,
) -> None:
    """Keep that something was exported now, in place of an earlier export of the same kind."""
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    digest = points_digest(grades, what)
    export = LastExport(platform, what, is_feedback, now, digest)
    others = [other for other in last_exports(book) if other.kind != export.kind]
    kept = [asdict(other) for other in (*others, export)]
    book.set(EXPORTS, msgspec.json.encode(kept).decode())


def last_exports(book: Gradebook) -> list[LastExport]:
    """Return the last export of each kind, the latest at the end."""
    text = book.find_setting(EXPORTS) or "[]"
    return msgspec.json.decode(text, type=list[LastExport])
