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
    wrong_value,
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
        extra_credit = self.of(homework.id).extra_credit
        maximum: float = 0
        for task in homework.tasks:
            if task.name not in extra_credit:
                maximum += task.points
        if homework.questions_count and THEORY not in extra_credit:
            maximum += homework.theory_points
        return maximum


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
        zone = _time_zone(file.time_zone)

        # A homework may be named by the beginning of its id; each has one table.
        tables: dict[str, str] = {}
        for name in file.homeworks:
            try:
                [homework_id] = course.ids([name])
                if homework_id not in homeworks:  # a drill
                    homeworks[homework_id] = course.homework(homework_id)
            except CourseError as error:
                raise ValueError(f"homeworks.{name}: {error}") from error
            if homework_id in tables:
                raise ValueError(
                    f"homeworks.{tables[homework_id]} and homeworks.{name} are the same homework"
                )
            tables[homework_id] = name

        shared = {key: getattr(file, key) for key in _Shared.__struct_fields__}
        rules = {}
        for homework_id, homework in homeworks.items():
            name = tables.get(homework_id, homework_id)
            # The homework's own values come last, and count.
            values = {**shared, **file.homeworks.get(name, {})}
            table = typed(values, _HomeworkTable, place, f"homeworks.{name}")
            dated = replace(homework, due=due or homework.due)
            rules[homework_id] = _rules(table, dated, zone)
    except ValueError as error:
        raise PolicyError(f"{place}: {error}") from error
    except CourseError as error:
        raise PolicyError(str(error)) from error
    return Policy(file.late_days, zone, rules)


def _time_zone(name: str | None) -> dt.tzinfo | None:
    if not name:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        form = "the name of a time zone such as Europe/Berlin or UTC"
        raise wrong_value("time_zone", form, name) from error


def _rules(table: _HomeworkTable, homework: Homework, zone: dt.tzinfo | None) -> Rules:
    """Return the rules in a homework's table.

    Raises:
        ValueError: the table names an unknown task, or a due date without a time zone.
    """
    tasks = [task.name for task in homework.tasks]
    if homework.questions:
        tasks.append(THEORY)
    for key in ("extra_credit", "all_or_nothing"):
        for name in getattr(table, key):
            if name not in tasks:
                place = f"homeworks.{homework.id}.{key}"
                raise wrong_value(place, f"names from: {', '.join(tasks)}", name)

    due = table.due or homework.due
    if due is not None and due.tzinfo is None:
        if zone is None:
            place = f"the due date of {homework.id}"
            if table.due:
                place = f"homeworks.{homework.id}.due"
            raise ValueError(
                f"{place} has no time zone: write one (…Z, …+01:00) or set time_zone"
            )
        due = due.replace(tzinfo=zone)

    extra_credit = table.extra_credit
    if (
        homework.questions
        and not homework.questions_count
        and THEORY not in extra_credit
    ):
        extra_credit = (*extra_credit, THEORY)
    return Rules(
        due=due,
        grace_minutes=table.grace_minutes,
        penalty_per_day=table.penalty_per_day,
        max_penalty=table.max_penalty,
        extra_credit=tuple(dict.fromkeys(extra_credit)),
        all_or_nothing=table.all_or_nothing,
        hidden_checks=table.hidden_checks or "",
    )
