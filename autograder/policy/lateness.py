"""How late a hand-in is, and which late days of its student are spent on it."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autograder.policy.model import Lateness, Rules

DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Handed:
    """One hand-in whose time is known."""

    student: str
    submission: str
    homework: str
    submitted_at: dt.datetime


def days_late(submitted_at: dt.datetime, rules: Rules) -> int:
    """Return the days begun after due date and grace; 0 in time, or where nothing is due."""
    if rules.due is None:
        return 0
    over = submitted_at - rules.due - dt.timedelta(minutes=rules.grace_minutes)
    return max(0, -(-over // DAY))


def spend(
    handed: Iterable[Handed], rules: Mapping[str, Rules], budget: int, spent: Mapping[str, int]
) -> dict[tuple[str, str], Lateness]:
    """Spend each student's late days in the order of submission time, then of due date, then of homework.

    Args:
        handed: all hand-ins whose time is known.
        rules: the rules of each homework; a homework without rules is never late.
        budget: the late days of each student.
        spent: how many of them are gone already, by student.

    Returns:
        The lateness of each hand-in, by submission and homework.
    """
    left: defaultdict[str, int] = defaultdict(lambda: budget)
    left.update({student: max(0, budget - days) for student, days in spent.items()})
    found = {}
    for one in sorted(handed, key=lambda one: _order(one, rules)):
        days = days_late(one.submitted_at, rules.get(one.homework, Rules()))
        used = min(days, left[one.student])
        left[one.student] -= used
        found[one.submission, one.homework] = Lateness(days, used, one.submitted_at)
    return found


def _order(one: Handed, rules: Mapping[str, Rules]) -> tuple[dt.datetime, dt.datetime, str, str]:
    due = rules.get(one.homework, Rules()).due or one.submitted_at
    return one.submitted_at, due, one.homework, one.submission
