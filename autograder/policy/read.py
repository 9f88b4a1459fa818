"""Read ``policy.toml``: the rules of a course, each key checked."""

from __future__ import annotations

import datetime as dt
import tomllib
import zoneinfo
from pathlib import Path

from autograder.homework.course import Course
from autograder.homework.model import Homework
from autograder.homework.questions import THEORY
from autograder.homework.table import Table
from autograder.policy.model import Policy, PolicyError, Rules

FILE_NAME = "policy.toml"
NUMBERS = ("grace_minutes", "penalty_per_day", "max_penalty")
PERCENTAGES = ("penalty_per_day", "max_penalty")
TASKS = ("extra_credit", "all_or_nothing")
COURSE_KEYS = ("time_zone", "late_days", *NUMBERS, "homeworks")
HOMEWORK_KEYS = ("due", *NUMBERS, *TASKS)


def read_policy(path: Path, course: Course) -> Policy:
    """Read a policy's file.

    Raises:
        PolicyError: the file cannot be read, or ``parse_policy`` refuses it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path} cannot be read as a policy: {error}") from error
    return parse_policy(text, course, str(path))


def parse_policy(text: str, course: Course, place: str) -> Policy:
    """Return the policy that a text describes; ``place`` is named in complaints.

    Raises:
        PolicyError: it is no TOML, or a key is unknown, or a value is of the wrong kind.
    """
    try:
        return _policy(Table(tomllib.loads(text)), course)
    except ValueError as error:  # also TOML's own complaint
        raise PolicyError(f"{place}: {error}") from error


def _policy(table: Table, course: Course) -> Policy:
    table.only(COURSE_KEYS)
    zone = _zone(table)
    own = table.table("homeworks")
    known = course.homeworks()
    own.only([homework.id for homework in known])
    rules = {homework.id: _rules(table, own.table(homework.id), homework, zone) for homework in known}
    late_days = table.number("late_days", whole=True) if "late_days" in table.values else 0
    return Policy(int(late_days), zone, rules)


def _rules(common: Table, own: Table, homework: Homework, zone: dt.tzinfo | None) -> Rules:
    own.only(HOMEWORK_KEYS)
    default = Rules()
    grace, per_day, most = (_number(own, key, _number(common, key, getattr(default, key))) for key in NUMBERS)
    extra, whole = (_tasks(own, key, homework) for key in TASKS)
    return Rules(_due(own, homework, zone), grace, per_day, most, extra, whole)


def _number(table: Table, key: str, default: float) -> float:
    if key not in table.values:
        return default
    value = table.number(key)
    if key in PERCENTAGES and value > 100:
        raise table.wrong(key, "per cent, at most 100")
    return value


def _tasks(table: Table, key: str, homework: Homework) -> tuple[str, ...]:
    names = table.texts(key) if key in table.values else ()
    known = [task.name for task in homework.tasks] + [THEORY] * bool(homework.questions)
    for name in names:
        if name not in known:
            raise ValueError(f"{table.place}.{key} names {name!r}; the tasks are {', '.join(known)}")
    return names


def _due(table: Table, homework: Homework, zone: dt.tzinfo | None) -> dt.datetime | None:
    due = table.values.get("due", homework.due)
    if due is None:
        return None
    if not isinstance(due, dt.datetime):
        raise table.wrong("due", "a date and time such as 2027-01-31T23:59:00Z")
    if due.tzinfo is None and zone is None:
        place = f"{table.place}.due" if "due" in table.values else f"the due date of {homework.id}"
        raise ValueError(f"{place} tells no time zone: write one (…Z, …+01:00) or set time_zone")
    return due if due.tzinfo else due.replace(tzinfo=zone)


def _zone(table: Table) -> dt.tzinfo | None:
    if "time_zone" not in table.values:
        return None
    try:
        return zoneinfo.ZoneInfo(table.text("time_zone"))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise table.wrong("time_zone", "the name of a time zone such as Europe/Berlin or UTC") from error
