"""The records of a policy."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.errors import KitError
from autograder.homework.model import Homework


class PolicyError(KitError):
    """A policy, a table for it or a decision is wrong; the message names the place and the remedy."""


@dataclass(frozen=True)
class Rules:
    """The rules of one homework. Penalties are per cent of the points earned; ``due`` has a time zone."""

    due: dt.datetime | None = None
    grace_minutes: float = 0.0
    penalty_per_day: float = 0.0
    max_penalty: float = 100.0
    extra_credit: tuple[str, ...] = ()
    all_or_nothing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Policy:
    """The rules of a course; ``late_days`` is each student's budget over all homeworks.

    ``zone`` is that of times which tell none themselves; without it such times are refused.
    """

    late_days: int = 0
    zone: dt.tzinfo | None = None
    rules: Mapping[str, Rules] = field(default_factory=dict)

    def of(self, homework_id: str) -> Rules:
        """Return the rules of a homework; one that the course does not have has none."""
        return self.rules.get(homework_id, Rules())

    def maximum(self, homework: Homework) -> float:
        """Return the points of a homework's tasks that are no extra credit."""
        extra = self.of(homework.id).extra_credit
        return sum(task.points for task in homework.tasks if task.name not in extra)


@dataclass(frozen=True)
class Lateness:
    """How late one hand-in is: days begun after due date and grace, and late days spent on it."""

    days: int = 0
    used: int = 0
    submitted_at: dt.datetime | None = None

    def percent(self, rules: Rules) -> float:
        """Return the penalty in per cent; days that late days cover cost nothing."""
        return min(rules.max_penalty, rules.penalty_per_day * (self.days - self.used))
