"""The public checks on a student's machine take other forms as grading does."""

import pytest
from forms import COSTS, all_changed
from wording import to_students

from autograder.verdict.checks import Outcome
from autograder.verdict.results import most_fundamental


def forms_of(results):
    """The forms of the checks that pass in spite of one, by their names."""
    return {check.check: check.form for check in results if check.form}


@pytest.mark.parametrize("submission", [pytest.param(changed, id=changed.id) for changed in all_changed()])
def test_another_form_costs_the_published_check_and_no_more(submission, students):
    report = students.check(submission.homework_id, submission.text)
    [failed] = [result for result in report.results if result.outcome is not Outcome.PASSED]
    assert failed.task == submission.task
    assert failed.points == COSTS[submission.homework_id, submission.task]
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
