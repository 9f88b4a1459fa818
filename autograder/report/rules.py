"""The rules and due dates in force, in a few lines for the staff."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.course.homework import by_number, short_id
from autograder.policy.points import moment
from autograder.policy.policy import Policy, Rules

MOST_LINES = 7


def rule_lines(policy: Policy, homework_ids: Iterable[str]) -> list[str]:
    """Return late days, due dates and penalties: a line for homeworks with the same ones, and not too many."""
    homeworks_of: dict[str, list[str]] = {}
    for homework_id in sorted(homework_ids, key=by_number):
        rules = policy.of(homework_id)
        names = homeworks_of.setdefault(_rule_text(rules), [])
        names.append(short_id(homework_id))
    lines = []
    for text, names in homeworks_of.items():
        listed_names = ", ".join(names)
        lines.append(f"{listed_names}: {text}")
    more = len(lines) - MOST_LINES
    if more > 0:
        lines[MOST_LINES:] = [f"and {more} more: see policy.toml and homework.toml"]
    if policy.late_days:
        lines.insert(0, f"late days: {policy.late_days}")
    return lines


def _rule_text(rules: Rules) -> str:
    if rules.due is None:
        return "no due date"
    text = f"due {moment(rules.due)}"
    if rules.grace_minutes:
        text = f"{text} + {rules.grace_minutes:g} min"
    if not rules.penalty_per_day:
        return f"{text}, no penalty"
    text = f"{text}, {rules.penalty_per_day:g} % a day"
    if rules.max_penalty < 100:
        text = f"{text}, at most {rules.max_penalty:g} %"
    return text
