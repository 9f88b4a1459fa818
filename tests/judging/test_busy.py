"""A call that is cut although it hardly ran is made again with more time, for the machine may be busy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.grading import runs
from autograder.grading.grade import grade_handin
from autograder.grading.runs import KEPT_WAITING, MORE_TIME
from autograder.sandbox.report import Answer, RunReport, Status, Stop, StudentError
from autograder.sandbox.request import Limits

from .asking import DOUBLE, TOTALS, code, outcomes, reason

NO_LOOP = "no sign of a loop"
A_LOOP = "look for a loop"
CUT = StudentError("TimeLimit", "")


class BusyPool:
    """A pool on a machine that is busy during the first runs: their calls are cut after half of their time."""

    def __init__(self, pool, busy_runs, cpu_seconds=1.0):
        self._pool = pool
        self._busy_runs = busy_runs
        self._cpu_seconds = cpu_seconds
        self.limits = []

    def run(self, request):
        self.limits.append(request.limits)
        report = self._pool.run(request)
        if len(self.limits) > self._busy_runs:
            return report
        return replace(self.cut(report), cpu_seconds=self._cpu_seconds)

    def cut(self, report):
        answers = []
        for answer in report.answers:
            if answer.modified is not None and hasattr(answer.value, "shape"):
                answer = Answer(error=CUT)
            answers.append(answer)
        return replace(report, answers=answers)


class BusyLoading(BusyPool):
    """The same for loading the code."""

    def cut(self, report):
        return RunReport(Status.TIME_LIMIT, load_error=CUT, stops=(Stop(None, CUT),))


class BusyRuns(BusyPool):
    """The same for whole runs."""

    def cut(self, report):
        return RunReport(Status.TIME_LIMIT, "stopped after 12 s")


def graded(suite, pool):
    return grade_handin(code(DOUBLE + TOTALS), suite, pool)


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_was_cut_but_hardly_ran_is_run_once_more_with_more_time(kind, suite, pool):
    busy = kind(pool, 1)
    result = graded(suite, busy)
    assert (result.status, result.earned, result.detail) == (Status.GRADED, 5.5, "")
    first, second = busy.limits
    assert second.call_seconds == MORE_TIME * first.call_seconds
    assert second.cpu_seconds == first.cpu_seconds


def test_a_task_whose_whole_run_was_cut_has_more_time_as_well(suite, pool):
    # All together, what is read of the code, the first task, and then that once more.
    busy = BusyRuns(pool, 1)
    assert graded(suite, busy).earned == 5.5


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_hardly_ran_twice_is_no_loop_and_a_human_hears_of_it(kind, suite, pool):
    busy = kind(pool, 9)
    result = graded(suite, busy)
    assert (result.status, result.detail) == (Status.TIME_LIMIT, KEPT_WAITING)
    assert len(busy.limits) == 2
    failed = [name for name, outcome in outcomes(result).items() if outcome == "failed"]
    assert NO_LOOP in reason(result, failed[0])
    assert A_LOOP not in reason(result, failed[0])


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_used_its_processor_time_is_not_run_again(kind, suite, pool):
    busy = kind(pool, 9, cpu_seconds=9.5)
    result = graded(suite, busy)
    assert (result.status, len(busy.limits)) == (Status.TIME_LIMIT, 1)
    failed = [name for name, outcome in outcomes(result).items() if outcome == "failed"]
    assert A_LOOP in reason(result, failed[0])


def test_a_call_that_sleeps_is_told_that_it_waits(suite, pool):
    limits = replace(Limits(), call_seconds=0.4)
    short = replace(suite, homework=replace(suite.homework, limits=limits))
    text = f"{DOUBLE}{TOTALS.replace('return', 'import time; time.sleep(60); return')}"
    result = grade_handin(code(text), short, pool)
    assert (result.status, result.earned, result.detail) == (Status.TIME_LIMIT, 3, KEPT_WAITING)
    assert NO_LOOP in reason(result, "totals")


def test_a_run_with_more_time_that_fails_for_us_leaves_the_score_blank(suite, pool):
    class Dies(BusyPool):
        def run(self, request):
            if self.limits:
                return RunReport(Status.INFRASTRUCTURE_ERROR, "the sandbox died twice: a pipe broke")
            return super().run(request)

    result = graded(suite, Dies(pool, 1))
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)


def test_further_calls_that_wait_share_one_budget_also_with_more_time(suite, monkeypatch):
    """Each run takes all its time; what is asked afterwards is out of time, and not run."""
    now = [0.0]
    monkeypatch.setattr(runs.time, "perf_counter", lambda: now[0])

    class Sleeping:
        limits: list[Limits] = []

        def run(self, request):
            self.limits.append(request.limits)
            now[0] += request.limits.seconds
            return RunReport(Status.TIME_LIMIT, "stopped", cpu_seconds=0.1)

    call = next(iter(suite.calls.values()))
    ask = runs.more_calls(code(DOUBLE), suite, Sleeping(), 5.0)
    for _ in range(3):
        [answer] = ask([call])
        assert answer.error.type == "TimeLimit"
    assert [limits.seconds for limits in Sleeping.limits] == [5.0, MORE_TIME * 5.0]


def test_further_calls_on_a_busy_machine_leave_time_for_others(suite, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(runs.time, "perf_counter", lambda: now[0])

    class Busy:
        seconds = [5.0, 3.0, 1.0]

        def run(self, request):
            duration = self.seconds.pop(0)
            now[0] += duration
            if duration == 5.0:
                return RunReport(Status.TIME_LIMIT, "stopped", cpu_seconds=0.1)
            return RunReport(Status.GRADED, answers=(Answer(value=1.0),), cpu_seconds=0.1)

    call = next(iter(suite.calls.values()))
    ask = runs.more_calls(code(DOUBLE), suite, Busy(), 5.0)
    for _ in range(2):
        [answer] = ask([call])
        assert answer.value == 1.0
