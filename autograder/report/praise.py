"""Whom to praise: full marks, and who improved most with a later hand-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.gradebook.book import Gradebook

MOST_IMPROVED = 5


@dataclass(frozen=True)
class Improvement:
    """Points of the checks in one homework that a later hand-in has more than the one before."""

    name: str
    homework: str
    before: float
    now: float

    @property
    def gain(self) -> float:
        return self.now - self.before


def improvements(
    book: Gradebook, points: Mapping[tuple[str, str], float]
) -> list[Improvement]:
    """Return the largest improvements over the hand-in before, the largest first.

    The same files graded again by other checks are no improvement.

    Args:
        book: the gradebook, whose history has the grades of before.
        points: the points that the checks give now, by submission and homework.
    """
    before: dict[tuple[str, str], tuple[float, str]] = {}
    for row in book.history():
        if row.earned is not None:
            before[row.submission, row.homework] = (row.earned, row.content)
    if not before:
        return []
    origins = book.origins()
    improved = []
    for key, (earned, content) in before.items():
        origin = origins.get(key)
        if key not in points or origin is None or origin.content == content:
            continue
        name, homework = key
        improvement = Improvement(name, homework, earned, points[key])
        if improvement.gain > 0:
            improved.append(improvement)
    improved.sort(key=lambda gain: (-gain.gain, gain.name, gain.homework))
    return improved[:MOST_IMPROVED]
