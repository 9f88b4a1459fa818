"""Run the public checks on what a student's code defines."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.judging import (
    Cases,
    Check,
    CheckResult,
    Compare,
    Diagnosis,
    Fixtures,
    Outcome,
    SubmissionProxy,
    diagnostic_cases,
    explain,
    is_unwritten,
    run_checks,
)
from autograder.sandbox import Answer, CellFailure
from autograder.student.answers import OwnAnswers
from autograder.student.homework import PublicHomework

NOT_WRITTEN = "not written yet"
NO_HINTS = "It does not give what is expected yet."


@dataclass(frozen=True)
class Report:
    """The results of the public checks, in their order; ``total`` counts the hidden ones' points as well.

    ``trouble`` says why nothing could be run, ``notes`` what else a student should know.
    """

    title: str
    results: tuple[CheckResult, ...]
    total: float
    trouble: str = ""
    notes: tuple[str, ...] = ()

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
    failed_cells: Sequence[CellFailure] = (),
    task: str | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """Run the public checks of a homework, or those of one task.

    Raises:
        LookupError: the homework has no such task.
    """
    answers = OwnAnswers(public, namespace)
    checks = _needed(public.checks, task)
    cases = Cases(public.known, public_only=True)
    submission = SubmissionProxy(
        answers, answers.facts, lambda: failed_cells, answers.ask, answers.names, lambda: answers
    )

    @functools.cache
    def diagnose(name: str) -> Diagnosis:
        """Name the one known mistake that gives the same answers on every public case of a task."""
        labels = explain(answers, diagnostic_cases(public.known, name), public.mistakes.get(name, ()))
        return public.diagnoses[labels[0]] if labels else Diagnosis()

    compare = Compare(public.homework, submission, cases, diagnose)
    results = run_checks(checks, Fixtures(submission, cases, compare))
    shown = [_told(public, one, answers) for one in results if task in (None, one.task)]
    points = sum(one.points for one in public.homework.tasks if task in (None, one.name))
    return Report(task or public.homework.title, tuple(shown), points, notes=tuple(notes))


def broken(public: PublicHomework, trouble: str, notes: Sequence[str] = ()) -> Report:
    """Return the report of code that could not be run at all."""
    results = [
        CheckResult(one.name, one.task, one.sentence, one.points, Outcome.NOT_RUN, "nothing could be run")
        for one in public.checks
    ]
    return Report(public.homework.title, tuple(results), public.homework.points, trouble, tuple(notes))


def _needed(checks: Sequence[Check], task: str | None) -> Sequence[Check]:
    """The checks of a task after those that they require."""
    wanted = {one.name for one in checks if task in (None, one.task)}
    if not wanted:
        known = ", ".join(dict.fromkeys(one.task for one in checks))
        raise LookupError(f"there are no public checks of {task!r}; there are some of: {known}")
    for one in reversed(checks):
        wanted |= set(one.requires) if one.name in wanted else set()
    return [one for one in checks if one.name in wanted]


def _told(public: PublicHomework, result: CheckResult, answers: Mapping[str, Answer]) -> CheckResult:
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
