"""Calls on a busy machine: what is cut although it hardly ran is made once more, with more time.

Limits of time are wall-clock. A loop that is alone on its machine uses the processor all the time; a call that was
cut after using less than ``LEAST_SHARE_OF_A_LOOP`` of it was waiting: for the processor, which is no fault of the
submission, or for something else. The kernel measures that time. Where nobody does, as without a warm sandbox,
nothing is known, and nothing is repeated.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.course.calls import Call
from autograder.grading.suite import Suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport, Status
from autograder.sandbox.request import Code, SharedCalls
from autograder.verdict.failure import (
    LEAST_SHARE_OF_A_LOOP,
    WAITED_IN_GRADING,
    as_waited,
)
from autograder.worker.load import LARGEST_PART

MORE_TIME = 3
"""A run that was cut while it waited is repeated with this many times the time."""
KEPT_WAITING = (
    "it was cut although it used little of the processor, also with more time: the code "
    "waits, or the machine that graded it was busy, and then it should be graded again"
)
"""What is said to everybody of a submission that a busy machine may have cost points."""


def run_calls(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Sequence[Call] | SharedCalls,
    *,
    seconds: float | None = None,
    later: SharedCalls | None = None,
    before_later: Callable[[], object] | None = None,
    times: float = 1,
) -> RunReport:
    """Make calls in one run.

    Args:
        code: the submission's code.
        suite: the homework, whose limits hold.
        pool: runs the code.
        calls: those of the run, or of its first stage.
        seconds: the wall-clock limit of all calls; None is the homework's.
        later: the calls of a second stage.
        before_later: is called before the code is given the second stage's.
        times: the factor of the wall-clock limits; that of processor time stays.
    """
    homework = suite.homework
    limits = homework.limits
    if seconds is not None:
        limits = replace(limits, seconds=seconds)
    limits = limits.longer(times)
    if isinstance(calls, SharedCalls):
        request = homework.request(code, calls, limits, later, before_later)
    else:
        sent = [call.as_mapping() for call in calls]
        request = homework.request(code, sent, limits, later, before_later)
    return pool.run(request)


def run_patiently(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Sequence[Call],
    seconds: float | None = None,
) -> tuple[RunReport, float]:
    """Make calls in one run, and where that waited, in another one with more time.

    Returns:
        The report, and the seconds that the calls cost. The run that was cut does not count, and each second of the
        longer one counts for less: other calls need time on a busy machine, too.
    """
    started = time.perf_counter()
    report = run_calls(code, suite, pool, calls, seconds=seconds)
    seconds_used = time.perf_counter() - started
    if not was_waiting(report, calls, suite):
        return report, seconds_used
    started = time.perf_counter()
    report = run_calls(code, suite, pool, calls, seconds=seconds, times=MORE_TIME)
    seconds_used = (time.perf_counter() - started) / MORE_TIME
    return with_cause_of_waiting(report, calls, suite), seconds_used


def was_waiting(report: RunReport, calls: Sequence[Call], suite: Suite) -> bool:
    """Return whether a run, or some of its calls, was cut after too little processor time to be blamed for it."""
    if not report.cpu_seconds:
        return False
    limits = suite.homework.limits
    seconds = 0.0
    if report.status is Status.TIME_LIMIT and report.load_error is None:
        seconds = min(limits.seconds, limits.cpu_seconds)
    elif any(stop.error.type == "TimeLimit" for stop in report.stops):
        seconds = LARGEST_PART * min(limits.loading)
    cut: set[str] = set()
    for call, answer in zip(calls, report.answers, strict=False):
        if answer.is_cut:
            cut.add(call.name)
    # A function that was cut is not called again. One with a limit of its own has its time on top.
    cut_with_own_limit = cut.intersection(limits.of_functions)
    seconds += len(cut - cut_with_own_limit) * limits.call_seconds
    seconds = min(seconds, limits.cpu_seconds)
    seconds += limits.more_seconds(cut_with_own_limit)
    return report.cpu_seconds < LEAST_SHARE_OF_A_LOOP * seconds


def with_cause_of_waiting(
    report: RunReport, calls: Sequence[Call], suite: Suite
) -> RunReport:
    """Return the report on a run with more time; if that waited as well, its errors say so."""
    if not was_waiting(report, calls, suite):
        return report
    waited = functools.partial(as_waited, message=WAITED_IN_GRADING)
    return replace(report.with_errors(waited), detail=KEPT_WAITING)
