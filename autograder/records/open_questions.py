"""What a TA has to know or to do before the points that count are final."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from autograder.records.book import Gradebook
from autograder.records.ledger import Line
from autograder.records.settlement import Settlement

MOST_NAMES = 8


def remarks(book: Gradebook, settlement: Settlement, lines: Iterable[Line]) -> Iterator[str]:
    """Yield a sentence per open matter: missing times, missing marks, decisions that are outdated or useless.

    The lines are iterated more than once.
    """
    # A time that nobody knows is never guessed: no penalty, and the TA is told.
    untimed = (line for line in lines if line.submitted_at is None and _may_cost(settlement, line))
    unknown = list(dict.fromkeys(line.submission for line in untimed))
    owners = book.owners()
    flagged = [name for name in unknown if name in owners and owners[name].late]
    others = [name for name in unknown if name not in flagged]
    if flagged:
        yield f"the platform says late but not when, so no late penalty: {_list(flagged)} (see --times)"
    if others:
        yield f"no time of submission is known, so no late penalty: {_list(others)} (see --times)"
    waiting = [f"{line.submission} ({', '.join(line.awaiting)})" for line in lines if line.awaiting]
    if waiting:
        yield f"provisional, for answers are not marked yet: {_list(waiting)} (see --manual)"
    # A decision outlives the code that it was made on; whoever made it may want to look again.
    outdated = [f"{name} ({what})" for name, what in book.decisions.outdated()]
    if outdated:
        yield f"handed in anew since it was decided, so look again: {_list(outdated)}"
    known = book.names()
    gone = sorted({name for name, _ in (*settlement.overrides, *settlement.marks)} - known)
    if gone:
        yield f"overrides or marks are kept for {_list(gone)}, but no submission has that name now"
    for (name, homework), overrides in settlement.overrides.items():
        there = book.subjects(name, homework)
        for one in overrides:
            if name in known and not one.is_whole and (one.check or one.task) not in there:
                yield f"override {one.id} has no effect: {name} has no {one.subject} in {homework}"


def _may_cost(settlement: Settlement, line: Line) -> bool:
    rules = settlement.policy.of(line.homework)
    return rules.due is not None and bool(rules.penalty_per_day or settlement.policy.late_days)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
