"""The records of a grading: one per check, per homework of a submission, and per submission."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.intake.submission import Problem
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.failure import FailureKind
from autograder.verdict.work import Work

MAX_TEXT = 20_000
MAX_LINES = 30
MAX_LINE = 600


@dataclass(frozen=True)
class Change:
    """What a policy or a person did to the points of the checks, in words that the student reads."""

    kind: str
    points: float
    reason: str


@dataclass(frozen=True)
class HomeworkResult:
    """One submission in one homework. ``earned`` is None when the fault is ours.

    ``final`` holds the points where a policy or a person changed those of the checks; ``awaiting`` names
    the questions that nobody has marked yet; until then the points are provisional. ``shown`` says when
    Gradescope shows what hidden checks say; where it is blank, ``hints`` does. ``recognised`` says that not
    the file's name but what it defines told the homework. ``seconds`` is processor time of its run. ``work``
    is what is kept apart from the result; it is here only where somebody asked for it. For the staff,
    ``explanation_faults`` has a line for each explanation that could not be made: it cost its text alone.
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
    final: float | None = None
    changes: tuple[Change, ...] = ()
    awaiting: tuple[str, ...] = ()
    shown: str = ""
    recognised: bool = False
    work: Work | None = None
    explanation_faults: tuple[str, ...] = ()

    @functools.cached_property
    def raw(self) -> float | None:
        """The points of the checks, or None where the fault is ours."""
        if self.status.is_our_fault:
            return None
        return round(sum(check.earned for check in self.checks), 6)

    @property
    def earned(self) -> float | None:
        """The points that count, or None where no fair grade exists yet."""
        return self.raw if self.final is None else self.final

    @property
    def not_judged(self) -> tuple[CheckResult, ...]:
        """The checks that could not be judged for our fault; where there are any, there are no points yet."""
        return tuple(
            check for check in self.checks if check.outcome is Outcome.NOT_JUDGED
        )

    @property
    def provisional(self) -> str:
        """What is known while some checks are not judged: the points of the others, and which these are."""
        if not self.not_judged:
            return ""
        earned = sum(check.earned for check in self.checks)
        judged = sum(
            check.points
            for check in self.checks
            if check.outcome is not Outcome.NOT_JUDGED
        )
        names = ", ".join(check.check for check in self.not_judged)
        return f"{earned:g} of {judged:g} points so far; not judged yet: {names}"


@dataclass(frozen=True)
class SubmissionResult:
    """One entry of the folder, with its results in every homework that was found in it.

    ``fault`` says why the grader failed. ``stopped`` is the status of a submission that cost more to read or
    judge than any may: it has no points, and ``problems`` say why. ``person`` holds name, id, e-mail address
    and lateness of the owner, where known.
    """

    name: str
    path: str
    homeworks: tuple[HomeworkResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    fault: str = ""
    stopped: Status | None = None
    person: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The status that needs most attention among the homeworks; nothing found is not submitted."""
        if self.fault:
            return Status.INFRASTRUCTURE_ERROR
        found = (result.status for result in self.homeworks)
        return self.stopped or max(
            found, key=list(Status).index, default=Status.NOT_SUBMITTED
        )

    @property
    def earned(self) -> float | None:
        """All points together, or None when one homework has none yet for our fault."""
        points = [result.earned for result in self.homeworks]
        return (
            None
            if self.fault or None in points
            else round(sum(p for p in points if p is not None), 6)
        )

    def capped(self) -> SubmissionResult:
        """Return the result with every text cut to a length that files and pages can bear."""
        homeworks = []
        for one in self.homeworks:
            checks = (
                replace(own, reason=_cut(own.reason), staff=_cut(own.staff))
                for own in one.checks
            )
            cut = replace(
                one,
                checks=tuple(checks),
                detail=_cut(one.detail),
                output=_cut(one.output),
            )
            faults = _cut_lines(one.explanation_faults)
            homeworks.append(
                replace(cut, notes=_cut_lines(one.notes), explanation_faults=faults)
            )
        return replace(self, homeworks=tuple(homeworks), fault=_cut(self.fault))

    def homework(self, homework_id: str) -> HomeworkResult | None:
        """The result in one homework, if it was handed in."""
        return next((r for r in self.homeworks if r.homework == homework_id), None)


UNWRITTEN = (FailureKind.NOT_DEFINED, FailureKind.NOT_WRITTEN)
FORM = (FailureKind.RAISED, FailureKind.ARITY, FailureKind.SHAPE, FailureKind.DTYPE)
"""What a task that is called with another form than it expects may stop at."""


def most_fundamental(checks: Sequence[CheckResult]) -> CheckResult | None:
    """Return the failed check to look at first, the earliest of those that stopped at the first stage.

    What raises comes before wrong shapes, and these before wrong values. Tasks that are not defined or not
    written yet come last, unless what was written fails for lack of them: a student begins with a mistake. Of
    checks that fail for one reason, those of the first task come first: there the mistake was made, and later
    tasks may stop at an earlier stage because of it. So they may where an earlier task returns another form.
    """
    order = {str(kind): place for place, kind in enumerate(FailureKind)}

    def stage(one: CheckResult) -> int:
        return order.get(one.kind, len(order))

    wrong = [one for one in checks if one.outcome is Outcome.FAILED]
    wrong = _of_written_tasks(wrong) or wrong
    if not wrong:
        return None
    first = min(wrong, key=stage)
    if first.kind in FORM:
        task = next(one.task for one in wrong if one.kind in FORM)
        first = min((one for one in wrong if one.task == task), key=stage)
    reason = _reason_of(first)
    alike = [one for one in wrong if _reason_of(one) == reason]
    return min((one for one in alike if one.task == alike[0].task), key=stage)


def _of_written_tasks(wrong: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the failed checks of written tasks, without those that raise where they call a missing one."""
    # Answers to theory questions stop at no stage: they are looked at last.
    written = {
        check.task for check in wrong if check.kind and check.kind not in UNWRITTEN
    }
    missing = {check.task for check in wrong} - written
    kept = []
    for check in wrong:
        words = (
            set(re.findall(r"\w+", check.reason))
            if check.kind == FailureKind.RAISED
            else set()
        )
        if check.task in written and not words & missing:
            kept.append(check)
    return kept


def alike(checks: Sequence[CheckResult]) -> list[list[CheckResult]]:
    """Return the checks in groups of one reason each, the most fundamental one of a group at its head."""
    groups = defaultdict[object, list[CheckResult]](list)
    for one in checks:
        groups[_reason_of(one)].append(one)
    heads = ((most_fundamental(group) or group[0], group) for group in groups.values())
    return [[head, *(one for one in group if one is not head)] for head, group in heads]


def reasons_told_once(checks: Sequence[CheckResult]) -> Mapping[str, str]:
    """Return what people read of each check of a homework, by its name: every reason in full once.

    The first check of a reason, the most fundamental one, says where else it holds; the others refer to it.
    """
    told: dict[str, str] = {}
    for first, *others in alike(checks):
        told.update(
            {one.check: f"as in “{first.sentence.rstrip('.')}”." for one in others}
        )
        tasks = ", ".join(
            f"`{task}`" for task in dict.fromkeys(one.task for one in others)
        )
        also = f"Also in {len(others)} more check{'s' if len(others) > 1 else ''} of {tasks}."
        told[first.check] = f"{first.reason} {also}" if others else first.reason
    return told


def _reason_of(one: CheckResult) -> object:
    """What is equal for checks that fail for one reason."""
    shared = one.outcome is Outcome.FAILED and one.cause
    return (one.cause, one.misconceptions) if shared else one.check


def _cut_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Keep the first lines, each cut to a length that pages can bear."""
    more = [f"and {len(lines) - MAX_LINES:,} more"] if len(lines) > MAX_LINES else []
    return (*(_cut(line, MAX_LINE) for line in lines[:MAX_LINES]), *more)


def _cut(text: str, most: int = MAX_TEXT) -> str:
    """Keep the beginning and the end: of a traceback, the last line says what it was."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n… {len(text) - most:,} characters left out …\n{text[-(most // 2) :]}"
