"""The public checks of one task on a notebook's namespace; they take other forms as grading does."""

import contextlib
import io
import time

import numpy as np
import pytest
from forms import all_changed
from released import HW1
from wording import to_students

from autograder.student.judge import NOT_EXPLAINED, NOT_WRITTEN, WAITS
from autograder.student.task import check_task
from autograder.verdict.checks import Outcome
from autograder.verdict.results import most_fundamental

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

    def checked(task, **names):
        report = check_task(task, names, folder)
        assert not any(note.startswith(NOT_EXPLAINED) for note in report.notes)
        return report

    return checked


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


def forms_of(results):
    """The forms of the checks that pass in spite of one, by their names."""
    return {check.check: check.form for check in results if check.form}


@pytest.mark.parametrize("submission", [pytest.param(changed, id=changed.id) for changed in all_changed()])
def test_another_form_costs_the_published_check_and_no_more(submission, students):
    report = students.check(submission.homework_id, submission.text)
    [failed] = [result for result in report.results if result.outcome is not Outcome.PASSED]
    assert failed.task == submission.task
    assert "published" in failed.check
    assert not failed.form


def test_what_passes_though_it_is_transposed_says_so(students, course):
    homework = course.homework("hw1")
    text = homework.solution.read_text(encoding="utf-8").replace("return Q @ K.T", "return (Q @ K.T).T")
    report = students.check(homework.id, text)
    assert forms_of(report.results) == {"qk_scores_sizes": "transposed"}
    assert to_students["forms.counted-though-transposed"] in students.screen(report)
    right = students.check(homework.id, homework.solution.read_text(encoding="utf-8"))
    assert forms_of(right.results) == {}


def test_grading_says_of_the_same_checks_that_they_were_counted_in_another_form(students, course, judge_text):
    homework = course.homework("hw1")
    text = homework.solution.read_text(encoding="utf-8").replace("return Q @ K.T", "return (Q @ K.T).T")
    graded = forms_of(judge_text(homework.id, text).checks)
    at_home = forms_of(students.check(homework.id, text).results)
    assert graded.items() >= at_home.items()
    assert set(graded.values()) == {"transposed"}
    assert forms_of(judge_text(homework.id, homework.solution.read_text(encoding="utf-8")).checks) == {}


def test_with_an_earlier_form_put_right_only_what_depends_on_it_is_said_to_be_counted(students, course):
    homework = course.homework("hw3")
    text = homework.solution.read_text(encoding="utf-8")
    right = "return attention_weights, attention_weights @ V"
    other = "return attention_weights @ V, attention_weights"
    assert right in text
    report = students.check(homework.id, text.replace(right, other))
    forms = forms_of(report.results)
    assert "scaled_dot_product_attention_unchanged" not in forms
    assert forms["scaled_dot_product_attention_weights"] == "in the wrong order"


def test_another_order_is_looked_at_before_what_stops_because_of_it(students, course):
    homework = course.homework("hw2")
    right, other = "return Q, K, V", "return K, V, Q"
    text = homework.solution.read_text(encoding="utf-8")
    assert text.count(right) == 1
    results = students.check(homework.id, text.replace(right, other)).results
    assert any(result.kind == "raised" for result in results)
    first = most_fundamental(results)
    assert first.check == "project_qkv_published"
