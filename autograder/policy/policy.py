"""The rules of a course, read from ``policy.toml`` with each key checked."""

from __future__ import annotations

import dataclasses
import datetime as dt
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from autograder.course.course import Course
from autograder.course.homework import THEORY, CourseError, Homework
from autograder.course.schema import (
    Amount,
    Count,
    Record,
    Text,
    parse_toml,
    typed,
    wrong,
)
from autograder.errors import KitError
from autograder.gradebook.decisions import Times

POLICY_FILE = "policy.toml"
Percentage = Annotated[float, Meta(ge=0, le=100, description="per cent, from 0 to 100")]


class PolicyError(KitError):
    """A policy, a table for it or a decision is wrong; the message names the place and the remedy."""


@dataclass(frozen=True)
class Rules:
    """The rules of one homework. Penalties are per cent of the points earned; ``due`` has a time zone.

    ``extended_from`` is everybody's due date where a student has a later one. ``hidden_checks`` says when
    Gradescope shows hidden checks; where it is blank, the homework's hints do. Questions that the homework
    does not count are extra credit, always.
    """

    due: dt.datetime | None = None
    grace_minutes: float = 0.0
    penalty_per_day: float = 0.0
    max_penalty: float = 100.0
    extra_credit: tuple[str, ...] = ()
    all_or_nothing: tuple[str, ...] = ()
    hidden_checks: str = ""
    extended_from: dt.datetime | None = None

    def extended(self, due: dt.datetime | None) -> Rules:
        """Return the rules of a student with a due date of their own; an earlier one changes nothing."""
        if not due or not self.due or due <= self.due:
            return self
        return replace(
            self, due=due.astimezone(self.due.tzinfo), extended_from=self.due
        )


@dataclass(frozen=True)
class Policy:
    """The rules of a course; ``late_days`` is each student's budget over all homeworks.

    ``zone`` is that of times that name none; without it such times are refused. ``extensions`` are those of
    the course's table. ``alone`` says that nothing is known of a student's other homeworks.
    """

    late_days: int = 0
    zone: dt.tzinfo | None = None
    rules: Mapping[str, Rules] = dataclasses.field(default_factory=dict)
    extensions: Times = dataclasses.field(default_factory=dict)
    alone: bool = False

    def of(self, homework_id: str) -> Rules:
        """Return the rules of a homework; one that the course does not have has none."""
        return self.rules.get(homework_id, Rules())

    def maximum(self, homework: Homework) -> float:
        """Return the points of a homework that are not extra credit."""
        extra = self.of(homework.id).extra_credit
        theory = homework.theory_points * (homework.counted and THEORY not in extra)
        return (
            sum(task.points for task in homework.tasks if task.name not in extra)
            + theory
        )


@dataclass(frozen=True)
class Lateness:
    """How late one homework was handed in: days begun after due date and grace, and late days spent on it."""

    days: int = 0
    used: int = 0
    submitted_at: dt.datetime | None = None

    def percent(self, rules: Rules) -> float:
        """Return the penalty in per cent; days that late days cover cost nothing."""
        return min(rules.max_penalty, rules.penalty_per_day * (self.days - self.used))


class _Shared(Record):
    """Keys of the whole course that a homework may override."""

    grace_minutes: Amount = 0.0
    penalty_per_day: Percentage = 0.0
    max_penalty: Percentage = 100.0
    hidden_checks: (
        Literal["visible", "after_due_date", "after_published", "hidden"] | None
    ) = None


class _PolicyFile(_Shared):
    time_zone: Text | None = None
    late_days: Count = 0
    homeworks: dict[str, dict[str, Any]] = field(default_factory=dict)


class _HomeworkTable(_Shared):
    due: dt.datetime | None = None
    extra_credit: tuple[str, ...] = ()
    all_or_nothing: tuple[str, ...] = ()


def read_policy(path: Path, course: Course, due: dt.datetime | None = None) -> Policy:
    """Read a policy's file; one that cannot be read is a ``PolicyError``, like a wrong one."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path} cannot be read as a policy: {error}") from error
    return parse_policy(text, course, str(path), due)


def parse_policy(
    text: str, course: Course, place: str, due: dt.datetime | None = None
) -> Policy:
    """Return the policy that a text describes; ``place`` is named in complaints.

    ``due`` is that of homeworks which the text names none for, in place of the one in ``homework.toml``.
    """
    homeworks = {homework.id: homework for homework in course.homeworks()}
    try:
        file = parse_toml(text, _PolicyFile, place)
        try:
            zone = zoneinfo.ZoneInfo(file.time_zone) if file.time_zone else None
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
            wanted = "the name of a time zone such as Europe/Berlin or UTC"
            raise wrong("time_zone", wanted, file.time_zone) from error
        tables: dict[str, str] = {}
        for named in file.homeworks:
            try:
                [key] = course.ids([named])
                homeworks.setdefault(
                    key, course.homework(key)
                )  # of a drill there are no others
            except CourseError as error:
                raise ValueError(f"homeworks.{named}: {error}") from error
            if key in tables:
                raise ValueError(
                    f"homeworks.{tables[key]} and homeworks.{named} are the same homework"
                )
            tables[key] = named
        rules, shared = (
            {},
            {key: getattr(file, key) for key in _Shared.__struct_fields__},
        )
        for key, homework in homeworks.items():
            named = tables.get(key, key)
            table = shared | file.homeworks.get(
                named, {}
            )  # the homework's own values come last and count
            own = typed(table, _HomeworkTable, place, f"homeworks.{named}")
            rules[key] = _rules(own, replace(homework, due=due or homework.due), zone)
    except ValueError as error:
        raise PolicyError(f"{place}: {error}") from error
    except CourseError as error:
        raise PolicyError(str(error)) from error
    return Policy(file.late_days, zone, rules)


def _rules(own: _HomeworkTable, homework: Homework, zone: dt.tzinfo | None) -> Rules:
    tasks = [task.name for task in homework.tasks] + [THEORY] * bool(homework.questions)
    for key in ("extra_credit", "all_or_nothing"):
        for name in getattr(own, key):
            if name not in tasks:
                raise wrong(
                    f"homeworks.{homework.id}.{key}",
                    f"names among {', '.join(tasks)}",
                    name,
                )
    due = own.due or homework.due
    if due and due.tzinfo is None:
        if zone is None:
            place = (
                f"homeworks.{homework.id}.due"
                if own.due
                else f"the due date of {homework.id}"
            )
            raise ValueError(
                f"{place} has no time zone: write one (…Z, …+01:00) or set time_zone"
            )
        due = due.replace(tzinfo=zone)
    given = {name: getattr(own, name) for name in own.__struct_fields__}
    if homework.questions and not homework.counted:
        given["extra_credit"] = tuple(dict.fromkeys((*own.extra_credit, THEORY)))
    return Rules(**given | {"due": due, "hidden_checks": own.hidden_checks or ""})
