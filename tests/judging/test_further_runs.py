"""A submission may be run several times: a fault of ours in any of these runs never counts as the student's.

Each test lets exactly one run fail. Where that run decides a verdict, nothing is judged by it and the score
is blank; where it only explains, the text is missing and nothing else.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from attacks.pools import LevelPool
from tiny import SOLUTION
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.cases import with_limits_of_tasks
from autograder.grading import runs
from autograder.grading.grade import grade_handin
from autograder.grading.patience import KEPT_WAITING, MORE_TIME, was_waiting
from autograder.grading.runs import ERROR_OF_STATUS
from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.report import Answer, RunReport, Status, Stop, StudentError
from autograder.sandbox.request import Limits
from autograder.verdict.checks import Check, Outcome, run_checks
from autograder.verdict.failure import LIMIT_ERRORS, CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.for_checks.own_results import Excuse, compare_or_excuse
from autograder.verdict.interface import Restored

from .asking import DOUBLE, TOTALS, code, notebook, outcomes, reason
from .injecting import verdict

OUR_FAULT = RunReport(Status.INFRASTRUCTURE_ERROR, "the sandbox died twice: a pipe broke")
CRASHES = f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit(3)\n"
MISSING = f"{DOUBLE}\ndef total(x):\n    return x.sum(), np.prod(x)\n"


class FaultyPool:
    """A pool of which a single run is our fault: the first one that the given condition holds for."""

    def __init__(self, pool, is_faulty):
        self._pool = pool
        self._is_faulty = is_faulty
        self.runs = 0
        self.faulty = []

    def run(self, request):
        self.runs += 1
        if not self.faulty and self._is_faulty(self.runs, request):
            self.faulty.append(self.runs)
            return OUR_FAULT
        return self._pool.run(request)


def graded(handed_in, suite, pool, is_faulty):
    """Grade with one faulty run, which there must have been."""
    faulty = FaultyPool(pool, is_faulty)
    result = grade_handin(handed_in, suite, faulty)
    assert faulty.faulty
    return result


# Runs that decide


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_no_run_of_a_submission_that_is_split_counts_as_its_own_fault(suite, pool, number):
    usual = grade_handin(code(CRASHES), suite, pool)
    assert (usual.status, usual.earned) == (Status.CRASHED, 3)
    result = graded(code(CRASHES), suite, pool, lambda run, request: run == number)
    assert (result.status, result.earned, result.checks) == (Status.INFRASTRUCTURE_ERROR, None, ())
    assert "a pipe broke" in result.detail


def calls_once_more(submission):
    answer = submission.call(FunctionCall("double", (np.ones(2),)))
    if not answer.is_usable:
        raise CheckFailed(Failure(FailureKind.RAISED, "It raised."))


def weighs(submission, compare):
    """Judge ``double`` by the student's own numbers, as later steps are judged by own weights."""
    known = [known_case for known_case in compare.cases.known if known_case.case.call.name == "double"][:1]
    weights, output = np.array([[0.2, 0.8, 0.0], [0.5, 0.1, 0.4]]), submission.answer(known[0]).value
    excuse = Excuse(known[0], weights, lambda others: output + np.abs(others - weights).sum(), known)
    compare_or_excuse(compare, known, lambda failed: [excuse])


@pytest.mark.parametrize("function", [calls_once_more, weighs])
def test_a_further_call_of_a_check_that_fails_for_us_is_not_judged(suite, pool, function):
    extra = Check("extra", "double", 1.0, "An extra check.", (), function)
    with_extra = replace(suite, checks=(extra,))
    wrong = SOLUTION.replace("factor = 2", "factor = 3")
    result = graded(code(wrong), with_extra, pool, lambda run, request: run == 2)
    assert (result.status, result.earned) == (Status.INFRASTRUCTURE_ERROR, None)
    [check] = result.checks
    assert check.outcome is Outcome.NOT_JUDGED
    assert "RuntimeError: the sandbox died twice: a pipe broke" in check.staff


# Runs that explain


def test_a_run_that_only_explains_costs_its_text_alone(suite, pool):
    handed_in = code(SOLUTION.replace("return factor * x", "return -x[::-1]"))
    usual = grade_handin(handed_in, suite, pool)
    result = graded(handed_in, suite, pool, lambda run, request: run == 2)
    assert verdict(result) == verdict(usual)
    assert usual.explanation_faults == ()
    assert any("RuntimeError: the sandbox died twice" in fault for fault in result.explanation_faults)


@pytest.mark.parametrize(
    "handed_in",
    [
        code(MISSING),
        code("import nummpy"),
        code(f"{SOLUTION}\nprint(1 / 0)\n"),
        notebook("1 / 0", "import numpy as np"),
    ],
    ids=["names", "import", "stop", "cell"],
)
def test_what_is_quoted_takes_no_further_run(suite, pool, handed_in):
    counting = FaultyPool(pool, lambda run, request: False)
    grade_handin(handed_in, suite, counting)
    assert counting.runs == 1


def test_right_answers_take_one_run(suite, pool):
    counting = FaultyPool(pool, lambda run, request: False)
    assert grade_handin(code(SOLUTION), suite, counting).earned == 5.5
    assert counting.runs == 1


class SlowSearches:
    """A pool in which every further run takes as long as all further runs together may."""

    def __init__(self, pool, seconds, clock):
        self._pool = pool
        self._seconds = seconds
        self._clock = clock
        self.runs = 0

    def run(self, request):
        self.runs += 1
        self._clock[0] += self._seconds if self.runs > 1 else 0
        return self._pool.run(request)


def test_a_long_search_for_a_reason_takes_no_time_from_the_checks_after_it(suite, pool, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("autograder.grading.runs.time.perf_counter", lambda: clock[0])
    slow = SlowSearches(pool, suite.homework.limits.seconds, clock)
    extra = Check("extra", "totals", 1.0, "An extra check.", (), calls_once_more)
    later = replace(suite, checks=(*suite.checks, extra))
    wrong = SOLUTION.replace("return x.sum(), np.prod(x)", "return -x.sum(), x[::-1].sum()")
    result = grade_handin(code(wrong), later, slow)
    assert slow.runs > 2
    assert (outcomes(result)["totals"], outcomes(result)["extra"]) == ("failed", "passed")


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


def graded_usually(suite, pool):
    return grade_handin(code(DOUBLE + TOTALS), suite, pool)


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_was_cut_but_hardly_ran_is_run_once_more_with_more_time(kind, suite, pool):
    busy = kind(pool, 1)
    result = graded_usually(suite, busy)
    assert (result.status, result.earned, result.detail) == (Status.GRADED, 5.5, "")
    first, second = busy.limits
    assert second.call_seconds == MORE_TIME * first.call_seconds
    assert second.cpu_seconds == first.cpu_seconds


def test_a_task_whose_whole_run_was_cut_has_more_time_as_well(suite, pool):
    # All together, what is read of the code, the first task, and then that once more.
    busy = BusyRuns(pool, 1)
    assert graded_usually(suite, busy).earned == 5.5


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_hardly_ran_twice_is_no_loop_and_a_human_hears_of_it(kind, suite, pool):
    busy = kind(pool, 9)
    result = graded_usually(suite, busy)
    assert (result.status, result.detail) == (Status.TIME_LIMIT, KEPT_WAITING)
    assert len(busy.limits) == 2
    failed = [name for name, outcome in outcomes(result).items() if outcome == "failed"]
    assert NO_LOOP in reason(result, failed[0])
    assert A_LOOP not in reason(result, failed[0])


@pytest.mark.parametrize("kind", [BusyPool, BusyLoading])
def test_what_used_its_processor_time_is_not_run_again(kind, suite, pool):
    busy = kind(pool, 9, cpu_seconds=9.5)
    result = graded_usually(suite, busy)
    assert (result.status, len(busy.limits)) == (Status.TIME_LIMIT, 1)
    failed = [name for name, outcome in outcomes(result).items() if outcome == "failed"]
    assert A_LOOP in reason(result, failed[0])


def test_each_status_of_a_limit_has_an_error_that_is_known_as_a_limits():
    assert set(ERROR_OF_STATUS.values()) == LIMIT_ERRORS


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

    result = graded_usually(suite, Dies(pool, 1))
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
    assert was_waiting(report, calls, short) is has_waited


def test_more_wall_clock_time_holds_for_all_limits():
    limits = Limits(1, 2, 3, of_functions={"train": 4}).longer(3)
    assert limits == Limits(3, 6, 3, of_functions={"train": 12})
    assert math.isclose(limits.of_call("train"), 12)
    assert limits.of_call("other") == 6


DEAD = Answer(error=StudentError("crashed", "killed"))


@dataclass
class Program:
    """A submission that answers each call with its name; the call of ``fatal`` brings the process down."""

    fatal: str = ""
    runs: list[list[str]] = field(default_factory=list)

    def ask(self, calls):
        names = [call.name for call in calls]
        self.runs.append(names)
        if self.fatal in names:
            return [DEAD] * len(calls)
        return list(map(Answer, names))

    def outcomes(self, *checks):
        submission = SubmissionProxy(Restored({}), dict, tuple, self.ask)
        fixtures = Fixtures(submission, Cases([]), Compare(None, submission, Cases([])))
        return {result.check: result.outcome for result in run_checks(checks, fixtures)}


def asking(name, requires=(), finished=None):
    def check(submission):
        [answer] = submission.joint_calls([FunctionCall(name, ())])
        if finished is not None:
            finished.append(name)
        assert answer.value == name

    return Check(name, "task", 1, "sentence", requires, check)


def test_checks_share_a_run_and_keep_their_order():
    program = Program()
    outcomes = program.outcomes(asking("first"), asking("second"), asking("third"))
    assert program.runs == [["first", "second", "third"]]
    assert list(outcomes.items()) == [(name, Outcome.PASSED) for name in ("first", "second", "third")]


def test_a_check_is_not_run_while_one_that_it_requires_waits():
    program = Program()
    finished = []
    first = asking("first", finished=finished)
    second = asking("second", requires=("first",), finished=finished)
    program.outcomes(first, second, asking("third", finished=finished))
    assert program.runs == [["first", "third"], ["second"]]
    assert finished == ["third", "first", "second"]


def test_a_call_that_brings_the_process_down_costs_only_its_own_check():
    program = Program(fatal="second")
    outcomes = program.outcomes(asking("first"), asking("second"), asking("third"))
    assert outcomes == {"first": Outcome.PASSED, "second": Outcome.FAILED, "third": Outcome.PASSED}
    assert program.runs[0] == ["first", "second", "third"]
    assert sorted(program.runs[1:]) == [["first"], ["second"], ["third"]]
