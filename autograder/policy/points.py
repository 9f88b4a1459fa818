"""The arithmetic on one homework: from the points of its checks to the points that count, and why.

The steps, in this order: overrides of checks and marks; all-or-nothing; points that comments give; overrides
of tasks; marks of questions that no check knows; the late penalty; an override of the whole homework.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.homework import THEORY
from autograder.gradebook.decisions import Comment, Mark, Override, PolicyLine
from autograder.language import say
from autograder.policy.grade import Change, HomeworkGrade
from autograder.policy.policy import Lateness, Rules
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult

LATENESS = "lateness"
"""The key, among the tasks, of the points that a late penalty takes."""


@dataclass(frozen=True)
class Decided:
    """Everything besides its checks that decides the points of a submission in one homework.

    Attributes:
        rules: the policy's rules for the homework.
        late: how late it was handed in.
        overrides: points that people set.
        marks: points that people gave for answers to questions.
        comments: comments on tasks or on the whole; of several on one task, the last with points gives them.
        extra: points of extra credit, for where there are no checks to count them from.
        questions: the homework's questions, which may be marked without a check that collected an answer.
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
        """The override of the whole homework, if there is one."""
        for override in self.overrides:
            if override.is_whole:
                return override
        return None

    @property
    def grants(self) -> bool:
        """Whether a person gave points that need no code."""
        is_marked = any(mark.points is not None for mark in self.marks)
        return self.whole is not None or is_marked


@dataclass
class _Sum:
    """The points of each task as the steps change them, and the changes made so far."""

    tasks: dict[str, float]
    changes: list[Change] = field(default_factory=list)

    @property
    def total(self) -> float:
        return sum(self.tasks.values())

    def set(self, kind: str, task: str, points: float, reason: str) -> None:
        difference = _rounded(points - self.tasks[task])
        self.changes.append(Change(kind, difference, reason))
        self.tasks[task] = points


def adjust(result: HomeworkResult, decided: Decided) -> HomeworkGrade:
    """Return the grade, which is the result with the points that count; equal input gives equal output.

    A homework that is not graded for our fault has points only where a person set those of the whole.
    ``points`` becomes the maximum without extra credit.
    """
    extra_credit = decided.rules.extra_credit
    marks_without_check: list[Mark] = []
    marked_checks: list[CheckResult] = []
    for mark in decided.marks:
        check = check_of(result, mark.question)
        if check is None:
            marks_without_check.append(mark)
        elif mark.points is not None:
            marked_checks.append(check)
    unmarked_checks = []
    for check in result.checks:
        if check.outcome is Outcome.COLLECTED and check not in marked_checks:
            unmarked_checks.append(check)

    # The ceiling: all points that can be earned. The maximum is what remains without extra credit.
    ceiling = result.points
    bonus = decided.extra
    if result.checks:
        ceiling = sum(check.points for check in result.checks)
        bonus = 0  # whole numbers stay whole
        for check in result.checks:
            if check.task in extra_credit:
                bonus += check.points
    ceiling += sum(mark.maximum for mark in marks_without_check)

    # Questions answered on paper have no check. They are worth points beyond the maximum where the policy
    # makes them a bonus; otherwise they are part of the maximum already.
    paper_points: float = 0
    for mark in marks_without_check:
        if mark.question.removeprefix(f"{THEORY}_") in decided.questions:
            paper_points += mark.maximum
    if THEORY in extra_credit:
        bonus += paper_points
    elif not result.checks:
        # Nothing was submitted: the homework's points hold the questions already.
        ceiling -= paper_points
    ceiling = _rounded(ceiling)

    grade = replace(
        HomeworkGrade.of(result),
        points=_rounded(ceiling - bonus),
        extra_credit=extra_credit,
        bonus=0.0,
    )
    earned = None
    if result.raw is not None:
        unmarked_tasks = {check.task for check in unmarked_checks}
        sums = _take_steps(result, decided, marks_without_check, unmarked_tasks)
        if bonus and extra_credit != (THEORY,):  # of questions alone, the notes say so
            text = say(
                "Extra credit: up to {bonus:g} points beyond {points:g}.",
                bonus=bonus,
                points=grade.points,
            )
            sums.changes.append(Change("extra_credit", 0.0, text))
        awaiting = []
        for check in unmarked_checks:
            awaiting.append(check.check.removeprefix(f"{THEORY}_"))
        for mark in marks_without_check:
            if mark.points is None:
                awaiting.append(mark.question)
        earned = max(0.0, _rounded(sums.total))
        earned = min(ceiling, earned)
        final = None
        if sums.changes:
            final = earned
        grade = replace(
            grade,
            final=final,
            bonus=_bonus_in(sums, grade, decided, earned),
            changes=tuple(sums.changes),
            awaiting=tuple(awaiting),
        )

    # The last step.
    override = decided.whole
    if override is None:
        return grade
    points = min(override.points, ceiling)
    difference = _rounded(points - (earned or 0.0))
    text = _override_text(override, earned, points, ceiling)
    change = Change("override", difference, text)
    changes = (*grade.changes, change)
    # Nobody knows which tasks the points were given for, so a bonus is what is beyond the maximum.
    beyond = max(0.0, points - grade.points)
    return replace(
        grade,
        final=points,
        bonus=_rounded(beyond),
        changes=changes,
        awaiting=(),  # no mark changes these points any more
        is_settled=True,
    )


def _bonus_in(
    sums: _Sum, grade: HomeworkGrade, decided: Decided, earned: float
) -> float:
    """Return how many of the earned points are a bonus, which a late penalty takes its percentage from as well."""
    bonus = 0.0
    for task in grade.extra_credit:
        bonus += sums.tasks.get(task, 0.0)
    if THEORY in grade.extra_credit:
        for mark in decided.marks:
            if mark.question.removeprefix(f"{THEORY}_") in decided.questions:
                bonus += sums.tasks.get(_place_of(mark), 0.0)
    before_penalty = sums.total - sums.tasks.get(LATENESS, 0.0)
    if before_penalty > 0:
        bonus = round(bonus * sums.total / before_penalty, 2)
    beyond = max(0.0, earned - grade.points)
    bonus = max(bonus, beyond)
    return _rounded(min(earned, bonus))


def _place_of(mark: Mark) -> str:
    """Return the key, among the tasks, of points for a question that no check knows."""
    return f"mark of {mark.question}"


def line_of(
    submission: str, result: HomeworkResult, grade: HomeworkGrade, decided: Decided
) -> PolicyLine:
    """Return the gradebook's line about an adjustment by ``adjust``."""
    late = decided.late
    rules = decided.rules
    reasons = [change.reason for change in grade.changes]
    penalty = _points_of_kind("late", grade.changes)
    manual = _points_of_kind("manual", grade.changes)
    return PolicyLine(
        submission=submission,
        homework=grade.homework,
        raw=result.raw,
        final=grade.earned,
        maximum=grade.points,
        submitted_at=late.submitted_at,
        due=rules.due,
        days_late=late.days,
        late_days_used=late.used,
        penalty_percent=late.percent(rules),
        penalty=_rounded(-penalty) + 0.0,  # never -0.0
        manual=_rounded(manual),
        override=decided.whole.points if decided.whole else None,
        awaiting=grade.awaiting,
        reasons=tuple(reasons),
    )


def _points_of_kind(kind: str, changes: Sequence[Change]) -> float:
    points = []
    for change in changes:
        if change.kind == kind:
            points.append(change.points)
    return sum(points)


def check_of(result: HomeworkResult, question: str) -> CheckResult | None:
    """Return the check that collected the answer to a question, if one did."""
    names = (question, f"{THEORY}_{question}")
    for check in result.checks:
        if check.check in names:
            return check
    return None


def _take_steps(
    result: HomeworkResult,
    decided: Decided,
    marks_without_check: Sequence[Mark],
    unmarked_tasks: Collection[str],
) -> _Sum:
    """Take all steps but the last, in the order of the module's docstring."""
    sums = _Sum({})
    maximum: dict[str, float] = {}
    for check in result.checks:
        task = check.task
        sums.tasks.setdefault(task, 0.0)
        sums.tasks[task] += check.earned
        maximum.setdefault(task, 0.0)
        maximum[task] += check.points

    # Overrides of checks and marks.
    for check in result.checks:
        _decide_check(sums, check, decided, result)

    # A task that is partly right gives nothing, unless somebody still has to mark some of it.
    for task in decided.rules.all_or_nothing:
        points = sums.tasks.get(task, 0.0)
        if task not in unmarked_tasks and 0 < points < maximum[task]:
            part = say(
                "it has {points:g} of its {maximum:g} points",
                points=points,
                maximum=maximum[task],
            )
            text = say(
                "`{task}` counts in full or not at all: {part}.", task=task, part=part
            )
            sums.set("all_or_nothing", task, 0.0, text)

    # Points that comments give.
    _heed_comments(sums, decided, result, maximum)

    # Overrides of tasks.
    for override in decided.overrides:
        task = override.task
        if task in sums.tasks and not override.check:
            most = maximum[task]
            points = min(override.points, most)
            text = _override_text(override, sums.tasks[task], points, most)
            sums.set("override", task, points, text)

    # Marks of questions that no check knows.
    for mark in marks_without_check:
        if mark.points is not None:
            place = _place_of(mark)
            sums.tasks[place] = 0.0
            text = _mark_text(mark, mark.maximum)
            sums.set("manual", place, mark.points, text)

    # The late penalty.
    rules = decided.rules
    if rules.due and rules.extended_from:
        before = moment(rules.extended_from)
        text = say(
            "Due {before} extended to {moment}.",
            before=before,
            moment=moment(rules.due),
        )
        sums.changes.append(Change("extension", 0.0, text))
    percent = decided.late.percent(rules)
    if percent or decided.late.used:
        penalty = round(sums.total * percent / 100, 2)
        penalty = min(sums.total, penalty)
        sums.tasks[LATENESS] = 0.0
        text = _late_text(rules, decided.late, penalty)
        sums.set("late", LATENESS, -penalty, text)
    return sums


def _decide_check(
    sums: _Sum, check: CheckResult, decided: Decided, result: HomeworkResult
) -> None:
    """Take a check's points from an override if there is one, else from a mark, else from the check."""
    without_check = sums.tasks[check.task] - check.earned
    for override in decided.overrides:
        if override.check == check.check:
            points = min(override.points, check.points)
            text = _override_text(override, check.earned, points, check.points)
            sums.set("override", check.task, without_check + points, text)
            return
    for mark in decided.marks:
        if check_of(result, mark.question) is check:
            if mark.points is not None:
                points = min(mark.points, check.points)
                text = _mark_text(mark, check.points)
                sums.set("manual", check.task, without_check + points, text)
            return


def _heed_comments(
    sums: _Sum, decided: Decided, result: HomeworkResult, maximum: Mapping[str, float]
) -> None:
    """Add every comment; its points count unless a person overrides its subject or a part of it."""
    overridden_checks = {override.check for override in decided.overrides}
    overridden_tasks = {override.task for override in decided.overrides}
    for check in result.checks:
        if check.check in overridden_checks:
            overridden_tasks.add(check.task)
    comment_that_counts: dict[str, Comment] = {}
    for comment in decided.comments:
        if comment.points is not None:
            comment_that_counts[comment.task] = comment

    # Comments on tasks come first, those on the whole homework last.
    on_tasks = []
    on_whole = []
    for comment in decided.comments:
        if comment.task:
            on_tasks.append(comment)
        else:
            on_whole.append(comment)
    for comment in [*on_tasks, *on_whole]:
        task = comment.task
        sentences = []
        if task:
            sentences.append(say("On `{task}`:", task=task))
            is_overridden = task in overridden_tasks
            before = sums.tasks.get(task)
            most = maximum.get(task, 0.0)
        else:
            is_overridden = bool(overridden_tasks)
            before = sums.total
            most = sum(maximum.values())
        if comment.text:
            sentences.append(_sentence(comment.text))
        counts = comment_that_counts.get(task) is comment and not is_overridden
        if counts and comment.points is not None and before is not None:
            points = min(comment.points, most)
            sentences.append(
                say(
                    "{points} instead of {before:g}.",
                    points=_points(points),
                    before=before,
                )
            )
            text = " ".join(sentences)
            if task:
                sums.set("comment", task, points, text)
            else:
                sums.tasks["comment"] = 0.0
                sums.set("comment", "comment", points - before, text)
        elif comment.text:
            sums.changes.append(Change("comment", 0.0, " ".join(sentences)))


def _rounded(points: float) -> float:
    return round(points, 6)


def _points(points: float) -> str:
    if points == 1:
        return say("1 point")
    return say("{points:g} points", points=points)


def _override_text(
    override: Override, before: float | None, points: float, maximum: float
) -> str:
    first_letter = override.subject[0].upper()
    subject = first_letter + override.subject[1:]
    instead = ""
    if before is not None:
        instead = " " + say("instead of {before:g}", before=before)
    capped = ""
    if points < override.points:
        capped = " " + say(
            "(of the {points:g} given, {maximum:g} is the maximum)",
            points=override.points,
            maximum=maximum,
        )
    reason = _sentence(override.reason)
    return f"{subject}: {_points(points)}{instead}{capped}. {reason}"


def _mark_text(mark: Mark, maximum: float) -> str:
    text = say(
        "Marked by hand, `{question}`: {points:g} of {maximum:g} points.",
        question=mark.question,
        points=mark.points,
        maximum=maximum,
    )
    if mark.comment:
        text = f"{text} {_sentence(mark.comment)}"
    return text


def _late_text(rules: Rules, late: Lateness, penalty: float) -> str:
    if rules.due is None or late.submitted_at is None:
        raise ValueError("nothing is late without a due date and a time of submission")
    # Both times in the zone of the due date, so that a reader can compare them.
    due = moment(rules.due)
    submitted = moment(late.submitted_at.astimezone(rules.due.tzinfo))
    days = say("{days} days", days=late.days)
    if late.days == 1:
        days = say("1 day")
    text = say(
        "Handed in {days} late (due {due}, handed in {submitted}).",
        days=days,
        due=due,
        submitted=submitted,
    )
    if late.used:
        late_days = say("{used} late days", used=late.used)
        if late.used == 1:
            late_days = say("1 late day")
        text = f"{text} {say('{late_days} used.', late_days=late_days)}"
    percent = late.percent(rules)
    if percent:
        off = say(
            "{percent:g} % off: {penalty:g} points.", percent=percent, penalty=penalty
        )
        return f"{text} {off}"
    return f"{text} {say('Nothing off.')}"


def moment(time: dt.datetime) -> str:
    """Return a time for people to read, with its zone."""
    return f"{time:%Y-%m-%d %H:%M} {time.tzname()}"


def _sentence(text: str) -> str:
    stripped = text.strip()
    if stripped.endswith((".", "!", "?")):
        return stripped
    return f"{stripped}."
