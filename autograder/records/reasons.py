"""What the student reads about each change of points."""

from __future__ import annotations

import datetime as dt

from autograder.records.decisions import Mark, Override
from autograder.records.policy import Lateness, Rules


def changed_words(override: Override, before: float | None, points: float, most: float) -> str:
    """Say which points a person set, instead of which, and why."""
    instead = "" if before is None else f" instead of {before:g}"
    capped = f" (of the {override.points:g} given, {most:g} is the most)" if points < override.points else ""
    what = override.subject[0].upper() + override.subject[1:]
    return f"{what}: {points:g} points{instead}{capped}. {_sentence(override.reason)}"


def mark_words(mark: Mark, most: float) -> str:
    """Say what a person gave for an answer, with the comment."""
    comment = f" {_sentence(mark.comment)}" if mark.comment else ""
    return f"Marked by hand, `{mark.question}`: {mark.points:g} of {most:g} points.{comment}"


def all_or_nothing_words(task: str, earned: float, most: float) -> str:
    """Say why a task that was partly right gives nothing."""
    return f"`{task}` counts in full or not at all: {earned:g} of its {most:g} points are not enough."


def extra_words(extra: float, maximum: float) -> str:
    """Say how much of the points is extra credit."""
    return f"Extra credit: up to {extra:g} points beyond {maximum:g}."


def late_words(rules: Rules, late: Lateness, penalty: float) -> str:
    """Say how late a hand-in was, which late days it took, and what it cost."""
    begun = f"{late.days} {_days(late.days)} late ({_times(rules, late)})"
    used = f" {late.used} late {_days(late.used)} used." if late.used else ""
    cost = f" {late.percent(rules):g} % off: {penalty:g} points." if late.percent(rules) else " Nothing off."
    return f"Handed in {begun}.{used}{cost}"


def _times(rules: Rules, late: Lateness) -> str:
    """Both times in the zone of the due date, so that a reader can compare them."""
    if rules.due is None or late.submitted_at is None:
        raise ValueError("nothing is late without a due date and a time of submission")
    return f"due {_time(rules.due)}, handed in {_time(late.submitted_at.astimezone(rules.due.tzinfo))}"


def _time(time: dt.datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} {time.tzname()}"


def _days(count: int) -> str:
    return "day" if count == 1 else "days"


def _sentence(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
