"""The records of a grading: one per check, per homework of a submission, and per submission."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.intake.submission import Problem
from autograder.language import say
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.failure import FailureKind
from autograder.verdict.work import Work

MAX_TEXT = 20_000
MAX_LINES = 30
MAX_LINE = 600
BY_ATTENTION = list(Status)
"""The statuses, the one that needs most attention last."""


@dataclass(frozen=True)
class HomeworkResult:
    """One submission in one homework, as its checks judged it.

    ``hints`` says whether pages give reasons. ``recognised`` says that the homework was recognised by what
    the file defines, not by its name, and ``named_for`` which homeworks its name is for then; ``fits`` are
    other homeworks whose tasks the file defines in place of this one's. ``seconds`` is processor time of the
    run. ``work`` is stored in a separate table; None unless the caller loaded it. For the staff,
    ``explanation_faults`` has a line for each explanation that could not be made: only its text is missing,
    no points depend on it.
    """

    homework: str
    title: str
    status: Status
    points: float
    checks: tuple[CheckResult, ...] = ()
    detail: str = ""
    hints: str = "always"
    notes: tuple[str, ...] = ()
    output: str = ""
    layers: tuple[str, ...] = ()
    seed: int = 0
    seconds: float = 0.0
    recognised: bool = False
    work: Work | None = None
    explanation_faults: tuple[str, ...] = ()
    fits: tuple[str, ...] = ()
    named_for: tuple[str, ...] = ()

    @functools.cached_property
    def raw(self) -> float | None:
        """The points of the checks, or None where the grader failed."""
        if self.status.is_our_fault:
            return None
        return round(sum(check.earned for check in self.checks), 6)

    @property
    def earned(self) -> float | None:
        """The points that count, or None where no fair grade exists yet: here those of the checks."""
        return self.raw

    @property
    def not_judged(self) -> tuple[CheckResult, ...]:
        """The checks that could not be judged for our fault; where there are any, there are no points yet."""
        not_judged = []
        for check in self.checks:
            if check.outcome is Outcome.NOT_JUDGED:
                not_judged.append(check)
        return tuple(not_judged)

    @property
    def provisional(self) -> str:
        """A sentence about points while some checks are not judged: the points so far, and the open checks."""
        if not self.not_judged:
            return ""
        earned = sum(check.earned for check in self.checks)
        judged = sum(check.points for check in self.checks)
        judged -= sum(check.points for check in self.not_judged)
        names = ", ".join(check.check for check in self.not_judged)
        return say(
            "{earned:g} of {judged:g} points so far; not judged yet: {names}",
            earned=earned,
            judged=judged,
            names=names,
        )


@dataclass(frozen=True)
class SubmissionResult:
    """One entry of the folder, with its results in every homework that was found in it.

    ``fault`` says why the grader failed. ``stopped`` is the status of a submission that cost more to read or
    judge than any may: it has no points, and ``problems`` say why.
    """

    name: str
    path: str
    homeworks: tuple[HomeworkResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    fault: str = ""
    stopped: Status | None = None

    @property
    def status(self) -> Status:
        """The status that needs most attention among the homeworks; nothing found is not submitted."""
        if self.fault:
            return Status.INFRASTRUCTURE_ERROR
        if self.stopped is not None:
            return self.stopped
        statuses = [result.status for result in self.homeworks]
        return max(statuses, key=BY_ATTENTION.index, default=Status.NOT_SUBMITTED)

    @property
    def earned(self) -> float | None:
        """All points together, or None when one homework has none yet for our fault."""
        if self.fault:
            return None
        total = 0.0
        for result in self.homeworks:
            if result.earned is None:
                return None
            total += result.earned
        return round(total, 6)

    def capped(self) -> SubmissionResult:
        """Return the result with every text cut to a length that files and pages can bear."""
        homeworks = []
        for homework in self.homeworks:
            checks = []
            for check in homework.checks:
                if max(len(check.reason), len(check.staff)) > MAX_TEXT:
                    reason = _cut(check.reason)
                    check = replace(check, reason=reason, staff=_cut(check.staff))
                checks.append(check)
            homeworks.append(
                replace(
                    homework,
                    checks=tuple(checks),
                    detail=_cut(homework.detail),
                    output=_cut(homework.output),
                    notes=_cut_lines(homework.notes),
                    explanation_faults=_cut_lines(homework.explanation_faults),
                )
            )
        return replace(self, homeworks=tuple(homeworks), fault=_cut(self.fault))

    def homework(self, homework_id: str) -> HomeworkResult | None:
        """The result in one homework, if it was handed in."""
        for result in self.homeworks:
            if result.homework == homework_id:
                return result
        return None


UNWRITTEN = (FailureKind.NOT_DEFINED, FailureKind.NOT_WRITTEN)
STAGES = [str(kind) for kind in FailureKind]
"""Kinds of failure in the order in which judging an answer meets them."""


def most_fundamental(checks: Sequence[CheckResult]) -> CheckResult | None:
    """Return the failed check to look at first: of the first task, the check that stopped earliest.

    Later tasks build on earlier ones and may raise because of a wrong value, a changed argument or another
    form there, so the order of the tasks decides. Within a task, what raises comes before wrong shapes, and
    these before wrong values; but an exception that is not explained waits for what is. Tasks that are not
    defined or not written yet come last, unless what was written fails for lack of them: a student begins with
    a mistake. Answers to theory questions come after all tasks.
    """
    wrong = []
    for check in checks:
        if check.outcome is Outcome.FAILED:
            wrong.append(check)
    unwritten = []
    for check in wrong:
        if check.kind in UNWRITTEN:
            unwritten.append(check)
    candidates = _of_written_tasks(wrong) or unwritten or wrong
    if not candidates:
        return None
    checks_of_task = []
    for check in candidates:
        if check.task == candidates[0].task:
            checks_of_task.append(check)
    is_explained = any(check.misconceptions for check in checks_of_task)

    def order(check: CheckResult) -> tuple[bool, int]:
        is_unexplained = check.kind == FailureKind.RAISED and not check.misconceptions
        return is_explained and is_unexplained, _stage(check)

    return min(checks_of_task, key=order)


def _stage(check: CheckResult) -> int:
    """Return the stage at which a check failed; answers to theory questions stop at none and come last."""
    if check.kind not in STAGES:
        return len(STAGES)
    return STAGES.index(check.kind)


def _of_written_tasks(wrong: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the failed checks of written tasks, without those that raise where they call a missing one."""
    written = set()
    for check in wrong:
        if check.kind and check.kind not in UNWRITTEN:  # theory questions have no kind
            written.add(check.task)
    missing = {check.task for check in wrong} - written
    of_written_tasks = []
    for check in wrong:
        names = set()
        if check.kind == FailureKind.RAISED:
            names = set(re.findall(r"\w+", check.reason))
        if check.task in written and not names & missing:
            of_written_tasks.append(check)
    return of_written_tasks


def groups_by_reason(checks: Sequence[CheckResult]) -> list[list[CheckResult]]:
    """Return the checks in groups of one reason each; the most fundamental check of a group comes first."""
    groups = defaultdict[object, list[CheckResult]](list)
    for check in checks:
        groups[_reason_of(check)].append(check)
    ordered = []
    for group in groups.values():
        head = most_fundamental(group) or group[0]
        others = []
        for check in group:
            if check is not head:
                others.append(check)
        ordered.append([head, *others])
    return ordered


def reasons_without_repeats(checks: Sequence[CheckResult]) -> Mapping[str, str]:
    """Return the text that people read of each check of a homework, by its name: every reason in full once.

    The first check of a reason, the most fundamental one, says where else it holds; the others refer to it.
    """
    texts: dict[str, str] = {}
    for first, *others in groups_by_reason(checks):
        if not others:
            texts[first.check] = first.reason
            continue
        for check in others:
            texts[check.check] = say(
                "Same reason as for “{sentence}”.", sentence=first.sentence.rstrip(".")
            )
        task_names = [f"`{check.task}`" for check in others]
        tasks = ", ".join(dict.fromkeys(task_names))
        count = say("{count} more checks", count=len(others))
        if len(others) == 1:
            count = say("1 more check")
        texts[first.check] = say(
            "{reason} Also in {count} of {tasks}.",
            reason=first.reason,
            count=count,
            tasks=tasks,
        )
    return texts


def _reason_of(check: CheckResult) -> object:
    """Return a value that is equal for checks that fail for one reason."""
    if check.outcome is Outcome.FAILED and check.cause:
        return check.cause, check.misconceptions
    return check.check


def _cut_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Keep the first lines, each cut to a length that pages can bear."""
    kept_lines = [_cut(line, MAX_LINE) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        kept_lines.append(f"and {len(lines) - MAX_LINES:,} more")
    return tuple(kept_lines)


def _cut(text: str, most: int = MAX_TEXT) -> str:
    """Keep the beginning and the end: the last line of a traceback names the exception."""
    if len(text) <= most:
        return text
    half = most // 2
    return (
        f"{text[:half]}\n… {len(text) - most:,} characters left out …\n{text[-half:]}"
    )
