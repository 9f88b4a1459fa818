"""What a TA has to know or to do before the points that count are final."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

from autograder.records.book import Gradebook
from autograder.records.decisions import Mark, Override
from autograder.records.ledger import Line
from autograder.records.policy import Lateness, Rules
from autograder.records.settle import Settlement


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


MOST_NAMES = 8


def remarks(book: Gradebook, settlement: Settlement, lines: Iterable[Line]) -> list[str]:
    """Return one sentence per open matter: times that are missing, marks that are, decisions without use.

    The lines are iterated more than once.
    """
    return [
        *_without_time(book, settlement, lines),
        *_provisional(lines),
        *_outdated(book),
        *_useless(book, settlement),
    ]


def _without_time(book: Gradebook, settlement: Settlement, lines: Iterable[Line]) -> Iterator[str]:
    """A time that nobody knows is never guessed: no penalty, and the TA is told."""
    owners = book.owners()
    unknown = [one for one in lines if one.submitted_at is None and _may_cost(settlement, one.homework)]
    names = list(dict.fromkeys(line.submission for line in unknown))
    flagged = [name for name in names if name in owners and owners[name].late]
    others = [name for name in names if name not in flagged]
    if flagged:
        yield f"the platform says late but not when, so no late penalty: {_list(flagged)} (see --times)"
    if others:
        yield f"no time of submission is known, so no late penalty: {_list(others)} (see --times)"


def _may_cost(settlement: Settlement, homework: str) -> bool:
    rules = settlement.policy.of(homework)
    return rules.due is not None and bool(rules.penalty_per_day or settlement.policy.late_days)


def _provisional(lines: Iterable[Line]) -> Iterator[str]:
    waiting = [f"{line.submission} ({', '.join(line.awaiting)})" for line in lines if line.awaiting]
    if waiting:
        yield f"provisional, for answers are not marked yet: {_list(waiting)} (see --manual)"


def _outdated(book: Gradebook) -> Iterator[str]:
    """A decision outlives the code that it was made on; whoever made it may want to look again."""
    found = [f"{name} ({what})" for name, what in book.decisions.outdated()]
    if found:
        yield f"handed in anew since it was decided, so look again: {_list(found)}"


def _useless(book: Gradebook, settlement: Settlement) -> Iterator[str]:
    known = book.names()
    decided = {name for name, _ in (*settlement.overrides, *settlement.marks)}
    gone = sorted(decided - known)
    if gone:
        yield f"overrides or marks are kept for {_list(gone)}, but no submission has that name now"
    for (name, homework), overrides in settlement.overrides.items():
        there = book.subjects(name, homework)
        for one in overrides:
            if name in known and not one.is_whole and (one.check or one.task) not in there:
                yield f"override {one.id} has no effect: {name} has no {one.subject} in {homework}"


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
