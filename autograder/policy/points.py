"""The arithmetic on one homework: from the points of its checks to those that count, and why.

The steps, in this order: overrides of checks and marks; all-or-nothing; points that comments give; overrides
of tasks; marks of questions that no check knows; the late penalty; an override of the whole homework.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.homework import THEORY
from autograder.gradebook.decisions import Comment, Mark, Override, PolicyLine
from autograder.policy.policy import Lateness, Rules
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import Change, HomeworkResult


@dataclass(frozen=True)
class Decided:
    """What bears on one homework of one submission apart from its checks.

    ``comments`` name the tasks that they are on; of several on one task, the last that has points gives them.
    ``extra`` are the points of extra credit where there are no checks to count them from. ``questions`` are
    the homework's own, which may be marked without a check that collected an answer.
    """

    rules: Rules = field(default_factory=Rules)
    late: Lateness = field(default_factory=Lateness)
    overrides: Sequence[Override] = ()
    marks: Sequence[Mark] = ()
    comments: Sequence[Comment] = ()
    extra: float = 0.0
    questions: Collection[str] = ()

    @property
    def whole(self) -> Override | None:
        return next((one for one in self.overrides if one.is_whole), None)

    @property
    def grants(self) -> bool:
        """Whether a person gave points that need no code."""
        return self.whole is not None or any(
            mark.points is not None for mark in self.marks
        )


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
    most = (
        sum(check.points for check in result.checks) if result.checks else result.points
    )
    in_checks = sum(check.points for check in result.checks if check.task in tasks)
    extra = in_checks if result.checks else decided.extra
    others = [mark for mark in decided.marks if check_of(result, mark.question) is None]
    marked = [
        check_of(result, mark.question)
        for mark in decided.marks
        if mark.points is not None
    ]
    unmarked = [
        c for c in result.checks if c.outcome is Outcome.COLLECTED and c not in marked
    ]
    # Answers on paper: beyond the maximum, or in it already where the homework counts its questions.
    asked = [
        one
        for one in others
        if one.question.removeprefix(f"{THEORY}_") in decided.questions
    ]
    unasked, is_bonus = sum(one.maximum for one in asked), THEORY in tasks
    extra += unasked * is_bonus
    ceiling = (
        most
        + sum(mark.maximum for mark in others)
        - unasked * (not is_bonus and not result.checks)
    )
    earned, after = None, replace(result, points=_rounded(ceiling - extra))
    if result.raw is not None:
        sums = _take_steps(result, decided, others, {check.task for check in unmarked})
        if extra and tasks != (THEORY,):  # of questions alone, the notes say so
            words = f"Extra credit: up to {extra:g} points beyond {after.points:g}."
            sums.changes.append(Change("extra_credit", 0.0, words))
        awaiting = [check.check.removeprefix(f"{THEORY}_") for check in unmarked]
        awaiting += [mark.question for mark in others if mark.points is None]
        earned = min(ceiling, max(0.0, _rounded(sums.total)))
        final = earned if sums.changes else result.final
        after = replace(
            after, final=final, changes=tuple(sums.changes), awaiting=tuple(awaiting)
        )
    if decided.whole is None:
        return after
    points = min(decided.whole.points, ceiling)
    words = _override_words(decided.whole, earned, points, ceiling)
    change = Change("override", _rounded(points - (earned or 0.0)), words)
    return replace(after, final=points, changes=(*after.changes, change))


def line_of(
    submission: str, before: HomeworkResult, after: HomeworkResult, decided: Decided
) -> PolicyLine:
    """Return the gradebook's line on what ``adjust`` did."""
    by_kind = {
        kind: sum(c.points for c in after.changes if c.kind == kind)
        for kind in ("late", "manual")
    }
    return PolicyLine(
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
        override=decided.whole.points if decided.whole else None,
        awaiting=after.awaiting,
        reasons=tuple(change.reason for change in after.changes),
    )


def check_of(result: HomeworkResult, question: str) -> CheckResult | None:
    """Return the check that collected the answer to a question, if one did."""
    names = (question, f"{THEORY}_{question}")
    return next((check for check in result.checks if check.check in names), None)


def _take_steps(
    result: HomeworkResult,
    decided: Decided,
    others: Sequence[Mark],
    waiting: Collection[str],
) -> _Sum:
    """Take all steps but the last, in the order of the module's docstring; ``waiting`` are unmarked tasks."""
    sums, most = _Sum({}), dict[str, float]()
    for check in result.checks:
        sums.tasks[check.task] = sums.tasks.get(check.task, 0.0) + check.earned
        most[check.task] = most.get(check.task, 0.0) + check.points
    for check in result.checks:
        _decide_check(sums, check, decided, result)
    # A task that is partly right gives nothing, unless somebody still has to mark some of it.
    for task in decided.rules.all_or_nothing:
        if task not in waiting and 0 < sums.tasks.get(task, 0.0) < most[task]:
            part = f"it has {sums.tasks[task]:g} of its {most[task]:g} points"
            words = f"`{task}` counts in full or not at all: {part}."
            sums.set("all_or_nothing", task, 0.0, words)
    _heed_comments(sums, decided, result, most)
    for one in decided.overrides:
        if one.task in sums.tasks and not one.check:
            points = min(one.points, most[one.task])
            words = _override_words(one, sums.tasks[one.task], points, most[one.task])
            sums.set("override", one.task, points, words)
    for mark in others:
        if mark.points is not None:
            place = f"mark of {mark.question}"
            sums.tasks[place] = 0.0
            sums.set("manual", place, mark.points, _mark_words(mark, mark.maximum))
    if decided.rules.due and decided.rules.extended_from:
        words = f"Due {_moment(decided.rules.extended_from)} extended to {_moment(decided.rules.due)}."
        sums.changes.append(Change("extension", 0.0, words))
    percent = decided.late.percent(decided.rules)
    if percent or decided.late.used:
        penalty = min(sums.total, round(sums.total * percent / 100, 2))
        sums.tasks["lateness"] = 0.0
        sums.set(
            "late",
            "lateness",
            -penalty,
            _late_words(decided.rules, decided.late, penalty),
        )
    return sums


def _decide_check(
    sums: _Sum, check: CheckResult, decided: Decided, result: HomeworkResult
) -> None:
    """Take a check's points from an override if there is one, else from a mark, else from the check."""
    override = next(
        (one for one in decided.overrides if one.check == check.check), None
    )
    mark = next(
        (one for one in decided.marks if check_of(result, one.question) is check), None
    )
    before = sums.tasks[check.task] - check.earned
    if override is not None:
        points = min(override.points, check.points)
        words = _override_words(override, check.earned, points, check.points)
        sums.set("override", check.task, before + points, words)
    elif mark is not None and mark.points is not None:
        points = min(mark.points, check.points)
        sums.set("manual", check.task, before + points, _mark_words(mark, check.points))


def _heed_comments(
    sums: _Sum, decided: Decided, result: HomeworkResult, most: Mapping[str, float]
) -> None:
    """Tell every comment; its points count unless a person overrides what it is on, or some of that."""
    overridden = {one.task for one in decided.overrides}
    named = {one.check for one in decided.overrides}
    overridden |= {check.task for check in result.checks if check.check in named}
    counts = {one.task: one for one in decided.comments if one.points is not None}
    for one in sorted(
        decided.comments, key=lambda one: not one.task
    ):  # on the whole homework last
        words = [
            f"On `{one.task}`:" if one.task else "",
            _sentence(one.text) if one.text else "",
        ]
        is_free = one.task not in overridden if one.task else not overridden
        is_there = one.task in ("", *sums.tasks)
        if (
            counts.get(one.task) is one
            and one.points is not None
            and is_free
            and is_there
        ):
            before = sums.tasks[one.task] if one.task else sums.total
            given = min(one.points, most[one.task] if one.task else sum(most.values()))
            words.append(f"{given:g} point{'s' * (given != 1)} instead of {before:g}.")
            place = one.task or "comment"
            sums.tasks.setdefault(place, 0.0)
            sums.set(
                "comment",
                place,
                given if one.task else given - before,
                " ".join(filter(None, words)),
            )
        elif one.text:
            sums.changes.append(Change("comment", 0.0, " ".join(filter(None, words))))


def _rounded(points: float) -> float:
    return round(points, 6)


def _override_words(
    override: Override, before: float | None, points: float, most: float
) -> str:
    instead = "" if before is None else f" instead of {before:g}"
    capped = (
        f" (of the {override.points:g} given, {most:g} is the most)"
        if points < override.points
        else ""
    )
    what = override.subject[0].upper() + override.subject[1:]
    return f"{what}: {points:g} point{'s' * (points != 1)}{instead}{capped}. {_sentence(override.reason)}"


def _mark_words(mark: Mark, most: float) -> str:
    comment = f" {_sentence(mark.comment)}" if mark.comment else ""
    return f"Marked by hand, `{mark.question}`: {mark.points:g} of {most:g} points.{comment}"


def _late_words(rules: Rules, late: Lateness, penalty: float) -> str:
    if rules.due is None or late.submitted_at is None:
        raise ValueError("nothing is late without a due date and a time of submission")
    # Both times in the zone of the due date, so that a reader can compare them.
    due, submitted = map(
        _moment, (rules.due, late.submitted_at.astimezone(rules.due.tzinfo))
    )
    days, late_days = (
        "day" if count == 1 else "days" for count in (late.days, late.used)
    )
    used = f" {late.used} late {late_days} used." if late.used else ""
    cost = (
        f" {late.percent(rules):g} % off: {penalty:g} points."
        if late.percent(rules)
        else " Nothing off."
    )
    return f"Handed in {late.days} {days} late (due {due}, handed in {submitted}).{used}{cost}"


def _moment(time: dt.datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} {time.tzname()}"


def _sentence(text: str) -> str:
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."
