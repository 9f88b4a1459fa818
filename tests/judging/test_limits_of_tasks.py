"""A task may have a limit of time of its own: a long training is not cut, and no other loop lasts as long."""

import math
from dataclasses import replace

import pytest
from attacks.pools import LevelPool
from wording import to_students

from autograder.course.cases import with_limits_of_tasks
from autograder.grading import runs
from autograder.grading.grade import grade_handin
from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.report import Answer, RunReport, Status
from autograder.sandbox.request import Limits

from .asking import DOUBLE, code, outcomes, reason

SLOW_TOTALS = """
import time

def totals(x):
    if len(x) == 3:
        time.sleep(0.5)
    return x.sum(), np.prod(x)
"""
LOOP = "    while True:\n        pass\n"
USUAL = Limits(call_seconds=0.3)


def limited(suite, seconds, limits=USUAL):
    """The suite whose ``totals`` has a limit of its own."""
    double, totals = suite.homework.tasks
    tasks = (double, replace(totals, call_seconds=seconds))
    homework = replace(suite.homework, limits=limits, tasks=tasks)
    return replace(suite, homework=with_limits_of_tasks(homework, [known.case for known in suite.known]))


@pytest.fixture(params=["warm", "process-only"])
def some_pool(request, pool):
    if request.param == "warm":
        yield pool
        return
    with LevelPool(PROCESS_ONLY) as weak:
        yield weak


def test_a_long_task_is_not_cut_by_the_limit_of_the_others(suite, some_pool):
    submitted = code(DOUBLE + SLOW_TOTALS)
    assert grade_handin(submitted, limited(suite, 5), some_pool).earned == 5.5


def test_an_endless_loop_in_another_task_has_the_short_limit(suite, pool):
    result = grade_handin(
        code(f"{SLOW_TOTALS}\ndef double(x):\n{LOOP}\nimport numpy as np\n"), limited(suite, 5), pool
    )
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 2.5)
    assert "One call may take 0.3 s, and all calls of a homework 12 s" in reason(result, "double_published")


def test_an_endless_loop_in_a_task_names_its_own_limit(suite, pool):
    result = grade_handin(code(f"{DOUBLE}\ndef totals(x):\n{LOOP}"), limited(suite, 0.4, Limits()), pool)
    assert (result.status, result.earned) == (Status.TIME_LIMIT, 3)
    assert outcomes(result)["totals"] == "failed"
    assert reason(result, "totals") == to_students["limits.own-limit"]


def test_the_functions_that_a_tasks_cases_call_have_its_limit(suite):
    helped = []
    for known in suite.known:
        if known.case.task == "totals":
            call = replace(known.case.call, name="totals_counted")
            known = replace(known, case=replace(known.case, call=call))
        helped.append(known)
    limits = limited(replace(suite, known=tuple(helped)), 5).homework.limits
    assert limits.of_functions == {"totals": 5, "totals_counted": 5}
    assert limited(suite, None).homework.limits == USUAL


def test_further_calls_have_their_time_on_top_of_that_of_all_checks(suite, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(runs.time, "perf_counter", lambda: now[0])

    class Slow:
        seconds: list[float] = []

        def run(self, request):
            self.seconds.append(request.seconds)
            now[0] += 7.0
            return RunReport(Status.GRADED, answers=(Answer(value=1.0),), cpu_seconds=7.0)

    calls = {known.case.task: known.case.call for known in suite.known}
    ask = runs.more_calls(code(DOUBLE), limited(suite, 6), Slow(), 5.0)
    for task in ("totals", "totals", "double", "double"):
        [answer] = ask([calls[task]])
    assert Slow.seconds == [11.0, 10.0, 3.0]
    assert answer.error.type == "TimeLimit"


@pytest.mark.parametrize(("cpu_seconds", "has_waited"), [(5.0, False), (1.0, True)])
def test_a_call_that_was_cut_is_blamed_by_its_own_limit(suite, cpu_seconds, has_waited):
    short = limited(suite, 6)
    calls = list(short.calls.values())
    answers = []
    for call in calls:
        answers.append(runs.OUT_OF_TIME if call.name == "totals" else Answer(value=1.0))
    report = RunReport(Status.GRADED, answers=answers, cpu_seconds=cpu_seconds)
    assert runs._has_waited(report, calls, short) is has_waited


def test_more_wall_clock_time_holds_for_all_limits():
    limits = Limits(1, 2, 3, of_functions={"train": 4}).longer(3)
    assert limits == Limits(3, 6, 3, of_functions={"train": 12})
    assert math.isclose(limits.of_call("train"), 12)
    assert limits.of_call("other") == 6
