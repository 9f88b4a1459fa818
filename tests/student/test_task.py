"""The public checks of one task on a notebook's namespace."""

import contextlib
import io
import time

import numpy as np
import pytest
from released import HW1
from wording import to_students

from autograder.student.judge import NOT_WRITTEN, WAITS
from autograder.student.task import check_task
from autograder.verdict.checks import Outcome

TASK = "softmax"


def right(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def over_queries(x):
    print("a student's print")
    powers = np.exp(x)
    return powers / powers.sum(axis=0, keepdims=True)


def stub(x):
    raise NotImplementedError


@pytest.fixture
def check(students):
    folder = students.folder(HW1)
    return lambda task, **names: check_task(task, names, folder)


def test_a_right_function_passes(check):
    report = check(TASK, softmax=right)
    assert report.passed
    assert {result.task for result in report.results} == {TASK}
    assert report.earned == report.points == 5


def test_a_wrong_function_gets_its_hint_as_text_and_as_html(check):
    report = check(TASK, softmax=over_queries)
    assert not report.passed
    assert to_students["task.normalised-over-the-queries"] in " ".join(str(report).split())
    page = report._repr_html_()
    assert "<th scope" in page
    assert "wrong" in page
    assert to_students["task.each-query-x27-s-weights"] in page


def test_a_stub_and_a_missing_function_are_told_apart(check):
    assert to_students["task.softmax-is-not-written-yet"] in str(check(TASK, softmax=stub))
    assert to_students["task.softmax-is-not-defined"] in str(check(TASK))


def left_below(x):
    shares = right(x)
    raise NotImplementedError
    return shares


def left_above(x):
    raise NotImplementedError
    return right(x)


@pytest.mark.parametrize("finished", [left_below, left_above])
def test_the_raise_of_the_stub_left_in_finished_code_is_named(check, finished):
    report = check(TASK, softmax=finished)
    assert {result.outcome for result in report.results} == {Outcome.FAILED, Outcome.NOT_RUN}
    assert to_students["task.delete-the-raise"] in " ".join(str(report).split())
    assert NOT_WRITTEN not in str(report)


def test_finished_code_that_calls_a_stub_waits_and_is_not_called_unwritten(check):
    def attention_flow(Q, K, V):
        weights = stub(Q @ K.T)
        return weights @ V

    report = check("attention_flow", attention_flow=attention_flow)
    assert {(result.outcome, result.reason) for result in report.results} == {(Outcome.NOT_RUN, WAITS)}


def test_prints_and_random_numbers_of_the_notebook_stay_as_they_are(check):
    np.random.seed(7)
    expected = np.random.RandomState(7).rand()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        check(TASK, softmax=over_queries)
    assert printed.getvalue() == ""
    assert np.random.rand() == expected


def test_what_the_notebook_told_numpy_stays_as_it_is_and_does_not_reach_the_check(check):
    with np.errstate(all="raise"):
        text = str(check(TASK, softmax=right))
        assert np.geterr() == dict.fromkeys(("divide", "over", "under", "invalid"), "raise")
    assert text == str(check(TASK, softmax=right))


def test_a_task_that_there_is_not_names_those_that_there_are(check):
    with pytest.raises(LookupError, check=to_students["task.no-public-checks-of-sotfmax"]):
        check("sotfmax")


def test_an_endless_loop_ends_with_its_reason(check, monkeypatch):
    # As on a machine that has nothing else to do.
    monkeypatch.setattr(time, "process_time", time.perf_counter)

    def endless(x):
        while True:
            pass

    text = " ".join(str(check(TASK, softmax=endless)).split())
    assert "did not finish in time" in text
    assert to_students["task.a-loop"] in text


def test_a_call_that_hardly_ran_is_not_told_to_look_for_a_loop(check):
    """As on a busy machine: the call waits, and uses no processor time."""

    def waiting(x):
        time.sleep(600)

    report = check(TASK, softmax=waiting)
    text = " ".join(str(report).split())
    assert to_students["task.a-busy-machine"] in text
    assert "look for a loop" not in text
