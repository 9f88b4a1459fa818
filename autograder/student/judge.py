"""Run the public checks on what a student's code defines."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.judging import (
    Cases,
    Check,
    CheckResult,
    Compare,
    Diagnosis,
    Exhibit,
    Finding,
    Fixtures,
    KnownCase,
    Outcome,
    Restored,
    SubmissionProxy,
    agreeing,
    exhibits,
    is_unwritten,
    most_fundamental,
    run_checks,
    tell,
)
from autograder.sandbox import Answers, Stop
from autograder.student.answers import Around, OwnAnswers
from autograder.student.homework import PublicHomework

LARGE = "large"
"""The topic of cases with numbers that leave the range of floating point where a softmax is unstable."""
NOT_WRITTEN = "not written yet"
NO_HINTS = "It does not give what is expected yet."


@dataclass(frozen=True)
class Report:
    """The results of the public checks, in their order; ``total`` counts the hidden ones' points as well.

    ``trouble`` says why nothing could be run, ``notes`` what else a student should know, ``after`` what comes
    next where every public check passes. ``shown`` are the cases behind the first thing to fix of each task,
    by the name of its check.
    """

    title: str
    results: tuple[CheckResult, ...]
    total: float
    trouble: str = ""
    notes: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    shown: tuple[Exhibit, ...] = ()

    @property
    def earned(self) -> float:
        return sum(one.earned for one in self.results)

    @property
    def points(self) -> float:
        return sum(one.points for one in self.results)

    @property
    def passed(self) -> bool:
        return not self.trouble and all(one.outcome is Outcome.PASSED for one in self.results)


def judge(
    public: PublicHomework,
    namespace: dict[str, Any],
    stops: Sequence[Stop] = (),
    task: str | None = None,
    notes: Sequence[str] = (),
    around: Around = contextlib.nullcontext,
) -> Report:
    """Run the public checks of a homework, or those of one task, each call within what ``around`` opens.

    Raises:
        LookupError: the homework has no such task.
    """
    own = OwnAnswers(public, namespace, around)
    checks = _needed(public.checks, task)
    cases = Cases(public.known, public_only=True)
    restored = Restored(own, public.known, public.homework.tasks)
    submission = SubmissionProxy(restored, own.facts, lambda: stops, own.ask, own.names, lambda: own)

    def diagnose(task: str, answers: Answers, cases: Sequence[KnownCase], *, pairs: bool = True) -> Diagnosis:
        """Name the one known mistake that gives the same answers; no pair is looked for here.

        Many a softmax fails for large numbers too, which is then left aside: it is a second mistake.
        """
        mistakes = public.mistakes.get(task, ())
        moderate = [one for one in cases if one.case.topic != LARGE]
        alike = agreeing(answers, cases, mistakes) or agreeing(answers, moderate, mistakes)
        return tell(alike, public.diagnoses)

    compare = Compare(public.homework, submission, cases, diagnose)
    findings: dict[str, Finding] = {}
    results = run_checks(checks, Fixtures(submission, cases, compare), findings)
    told = tuple(_told(public, one, own) for one in results if task in (None, one.task))
    points = sum(one.points for one in public.homework.tasks if task in (None, one.name))
    title, after = (task, ()) if task else (public.homework.title, public.after)
    shown = _shown(public, told, findings, submission)
    return Report(title, told, points, notes=tuple(notes), after=after, shown=shown)


def _shown(
    public: PublicHomework,
    results: Sequence[CheckResult],
    findings: Mapping[str, Finding],
    submission: SubmissionProxy,
) -> tuple[Exhibit, ...]:
    """Return of each task the case behind what is to be fixed first; nothing where no hints are given."""
    if public.homework.hints == "never":
        return ()
    tasks = dict.fromkeys(one.task for one in results)
    first = (most_fundamental([one for one in results if one.task == task]) for task in tasks)
    judged = {one.check: findings[one.check].judged for one in first if one and one.check in findings}
    failed = [(check, one) for check, one in judged.items() if one is not None]
    parameters = {
        one.known.case.call.name: submission.facts(one.known.case.call.name).parameters for _, one in failed
    }
    return exhibits(failed, public.homework.limits, parameters, public.known)


def broken(public: PublicHomework, trouble: str, notes: Sequence[str] = ()) -> Report:
    """Return the report of code that could not be run at all."""
    results = [one.result(Outcome.NOT_RUN, "nothing could be run") for one in public.checks]
    return Report(public.homework.title, tuple(results), public.homework.points, trouble, tuple(notes))


def unwritten(public: PublicHomework) -> Report:
    """Return the report of files that are as they were handed out."""
    results = [one.result(Outcome.NOT_RUN, NOT_WRITTEN) for one in public.checks]
    return Report(public.homework.title, tuple(results), public.homework.points)


def _needed(checks: Sequence[Check], task: str | None) -> Sequence[Check]:
    """The checks of a task after those that they require."""
    wanted = {one.name for one in checks if task in (None, one.task)}
    if not wanted:
        known = ", ".join(dict.fromkeys(one.task for one in checks))
        raise LookupError(f"there are no public checks of {task!r}; there are some of: {known}")
    for one in reversed(checks):
        wanted |= set(one.requires) if one.name in wanted else set()
    return [one for one in checks if one.name in wanted]


def _told(public: PublicHomework, result: CheckResult, answers: Answers) -> CheckResult:
    """A check's result as a student reads it: a stub is not wrong, only not written yet."""
    if result.outcome is Outcome.PASSED:
        return result
    answer = answers[next(one.case.id for one in public.known if one.case.task == result.task)]
    is_blocked = result.outcome is Outcome.NOT_RUN
    if is_unwritten(answer.error) and (is_blocked or "returns-nothing" in result.misconceptions):
        return replace(result, outcome=Outcome.NOT_RUN, reason=NOT_WRITTEN)
    if is_blocked:
        return result
    if public.homework.hints == "never" and answer.is_usable:
        return replace(result, reason=NO_HINTS, misconceptions=(), kind="", cause="")
    return result
