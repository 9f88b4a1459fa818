"""A submission may be run several times: a fault of ours in any of these runs never counts as the student's.

Each test lets exactly one run fail. Where that run decides a verdict, nothing is judged by it and the score
is blank; where it only explains, the text is missing and nothing else.
"""

from dataclasses import replace

import numpy as np
import pytest
from tiny import SOLUTION

from autograder.course.cases import FunctionCall
from autograder.grading.grade import grade_handin
from autograder.sandbox.report import RunReport, Status
from autograder.verdict.checks import Check, Outcome
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.own_results import Excuse, compare_or_excuse

from .asking import DOUBLE, code, notebook, outcomes
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
