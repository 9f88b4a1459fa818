"""The arithmetic on one homework: from the points of its checks to those that count.

The steps, in this order: overrides of checks and marks; all-or-nothing; overrides of tasks; marks of
questions that are no checks; the late penalty; an override of the whole homework.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course import THEORY
from autograder.judging import Change, CheckResult, HomeworkResult, Outcome
from autograder.records.decisions import Mark, Override
from autograder.records.ledger import Line
from autograder.records.policy import Lateness, Rules
from autograder.records.reasons import (
    all_or_nothing_words,
    changed_words,
    extra_words,
    late_words,
    mark_words,
)

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

    def order(one: Handed) -> tuple[dt.datetime, dt.datetime, str, str]:
        due = rules.get(one.homework, Rules()).due or one.submitted_at
        return one.submitted_at, due, one.homework, one.submission

    for one in sorted(handed, key=order):
        days = days_late(one.submitted_at, rules.get(one.homework, Rules()))
        used = min(days, left[one.student])
        left[one.student] -= used
        found[one.submission, one.homework] = Lateness(days, used, one.submitted_at)
    return found


@dataclass(frozen=True)
class Decided:
    """What bears on one homework of one submission beside its checks.

    ``extra`` are the points of extra credit where there are no checks to count them from.
    """

    rules: Rules = field(default_factory=Rules)
    late: Lateness = field(default_factory=Lateness)
    overrides: Sequence[Override] = ()
    marks: Sequence[Mark] = ()
    extra: float = 0.0


@dataclass
class _Sum:
    """The points of each task as the steps change them, and the changes made so far."""

    tasks: dict[str, float]
    changes: list[Change] = field(default_factory=list)

    @property
    def total(self) -> float:
        return sum(self.tasks.values())

    def set(self, kind: str, task: str, points: float, reason: str) -> None:
        self.changes.append(Change(kind, _rounded(points - self.tasks[task]), reason))
        self.tasks[task] = points


def adjust(result: HomeworkResult, decided: Decided) -> HomeworkResult:
    """Return the result with the points that count; equal input gives equal output.

    A homework that is not graded for our fault has points only where a person set those of the whole.
    ``points`` becomes the maximum without extra credit.
    """
    tasks = decided.rules.extra_credit
    in_checks = sum(check.points for check in result.checks if check.task in tasks)
    extra = in_checks if result.checks else decided.extra
    others = [mark for mark in decided.marks if check_of(result, mark.question) is None]
    unmarked = _unmarked(result, decided.marks)
    overridden = {one.check for one in decided.overrides}
    # The maximum of a result lacks written answers; those that a person has decided on count from now on.
    since = sum(
        check.points
        for check in result.checks
        if check.outcome is Outcome.COLLECTED and (check not in unmarked or check.check in overridden)
    )
    ceiling = result.points + sum(mark.maximum for mark in others) + since
    own = replace(result, points=_rounded(ceiling - extra))
    if result.raw is None:
        return _override_whole(own, decided, None, ceiling)
    sums = _take_steps(result, decided, others)
    if extra:
        sums.changes.append(Change("extra_credit", 0.0, extra_words(extra, own.points)))
    awaiting = [check.check.removeprefix(f"{THEORY}_") for check in unmarked]
    awaiting += [mark.question for mark in others if mark.points is None]
    own = replace(own, changes=tuple(sums.changes), awaiting=tuple(awaiting))
    return _override_whole(own, decided, min(ceiling, max(0.0, _rounded(sums.total))), ceiling)


def line_of(submission: str, before: HomeworkResult, after: HomeworkResult, decided: Decided) -> Line:
    """Return the gradebook's line on what ``adjust`` did."""
    by_kind = {kind: sum(c.points for c in after.changes if c.kind == kind) for kind in ("late", "manual")}
    whole = next((one.points for one in decided.overrides if one.is_whole), None)
    return Line(
        submission=submission,
        homework=after.homework,
        raw=before.raw,
        final=after.earned,
        maximum=after.points,
        submitted_at=decided.late.submitted_at,
        due=decided.rules.due,
        days_late=decided.late.days,
        late_days_used=decided.late.used,
        penalty_percent=decided.late.percent(decided.rules),
        penalty=_rounded(-by_kind["late"]) + 0.0,
        manual=_rounded(by_kind["manual"]),
        override=whole,
        awaiting=after.awaiting,
        reasons=tuple(change.reason for change in after.changes),
    )


def check_of(result: HomeworkResult, question: str) -> CheckResult | None:
    """Return the check that collected the answer to a question, if one did."""
    names = (question, f"{THEORY}_{question}")
    return next((check for check in result.checks if check.check in names), None)


def _take_steps(result: HomeworkResult, decided: Decided, others: Sequence[Mark]) -> _Sum:
    """Take all steps but the last, in the order that the module's docstring gives."""
    sums = _Sum(dict.fromkeys((check.task for check in result.checks), 0.0))
    for check in result.checks:
        sums.tasks[check.task] += check.earned
    for check in result.checks:
        _decide_check(sums, check, decided, result)
    # A task that is partly right gives nothing, unless somebody still has to mark some of it.
    waiting = {check.task for check in _unmarked(result, decided.marks)}
    for task in decided.rules.all_or_nothing:
        most = _points_of(result, task)
        if task not in waiting and 0 < sums.tasks.get(task, 0.0) < most:
            sums.set("all_or_nothing", task, 0.0, all_or_nothing_words(task, sums.tasks[task], most))
    for one in decided.overrides:
        if one.task in sums.tasks and not one.check:
            most = _points_of(result, one.task)
            points = min(one.points, most)
            sums.set("override", one.task, points, changed_words(one, sums.tasks[one.task], points, most))
    for mark in others:
        if mark.points is not None:
            place = f"mark of {mark.question}"
            sums.tasks[place] = 0.0
            sums.set("manual", place, mark.points, mark_words(mark, mark.maximum))
    percent = decided.late.percent(decided.rules)
    if percent or decided.late.used:
        penalty = min(sums.total, round(sums.total * percent / 100, 2))
        sums.tasks["lateness"] = 0.0
        sums.set("late", "lateness", -penalty, late_words(decided.rules, decided.late, penalty))
    return sums


def _decide_check(sums: _Sum, check: CheckResult, decided: Decided, result: HomeworkResult) -> None:
    """Take a check's points from an override if there is one, else from a mark, else from the check."""
    override = next((one for one in decided.overrides if one.check == check.check), None)
    mark = next((one for one in decided.marks if check_of(result, one.question) is check), None)
    before = sums.tasks[check.task] - check.earned
    if override is not None:
        points = min(override.points, check.points)
        words = changed_words(override, check.earned, points, check.points)
        sums.set("override", check.task, before + points, words)
    elif mark is not None and mark.points is not None:
        points = min(mark.points, check.points)
        sums.set("manual", check.task, before + points, mark_words(mark, check.points))


def _override_whole(
    result: HomeworkResult, decided: Decided, earned: float | None, ceiling: float
) -> HomeworkResult:
    override = next((one for one in decided.overrides if one.is_whole), None)
    if override is None:
        return replace(result, final=earned) if result.changes else result
    points = min(override.points, ceiling)
    words = changed_words(override, earned, points, ceiling)
    change = Change("override", _rounded(points - (earned or 0.0)), words)
    return replace(result, final=points, changes=(*result.changes, change))


def _unmarked(result: HomeworkResult, marks: Sequence[Mark]) -> list[CheckResult]:
    marked = [check_of(result, mark.question) for mark in marks if mark.points is not None]
    return [c for c in result.checks if c.outcome is Outcome.COLLECTED and c not in marked]


def _points_of(result: HomeworkResult, task: str) -> float:
    return sum(check.points for check in result.checks if check.task == task)


def _rounded(points: float) -> float:
    return round(points, 6)
