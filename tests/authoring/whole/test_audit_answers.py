"""Odd answers to every task: which checks they reach, and what the audit says of one that raises on them."""

import pytest
from homeworks import PAIR
from tiny import CHECKS_FILE

from autograder.authoring.audit_answers import ODD_ANSWERS, grade_odd, odd_submission, odd_tasks
from autograder.grading.suite import prepare_suite
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome

SIZES = """    compare([*cases.stored("double", None), *cases.fresh("double")])
"""
ROUNDS = """    for known in [*cases.stored("double", None), *cases.fresh("double")]:
        abs(submission.answer(known).value)
    compare([*cases.stored("double", None), *cases.fresh("double")])
"""


@pytest.fixture(scope="module")
def suite(built, pool):
    return prepare_suite(built.course, built.homework, 11, pool)


@pytest.fixture
def rounding(audited):
    """A course of which one check, that requires another, raises on answers without an absolute value."""
    arguments = "def test_double_sizes({}cases, compare):\n"
    audited.tiny.edit(CHECKS_FILE, arguments.format(""), arguments.format("submission, "))
    audited.tiny.edit(CHECKS_FILE, SIZES, ROUNDS)
    return audited


def test_a_check_that_requires_others_gets_odd_answers_beside_their_right_ones(rounding):
    suite = prepare_suite(rounding.tiny.course, rounding.tiny.homework, 0, rounding.pool)
    double, totals = odd_tasks(suite, rounding.pool)
    assert double.right_sets == (frozenset(), frozenset({"published/double/printed"}))
    assert totals.right_sets == (frozenset(),)


def test_the_audit_names_check_answer_exception_and_line(rounding):
    audit = rounding.audit()
    line_number = (
        (rounding.tiny.folder / CHECKS_FILE)
        .read_text("utf-8")
        .splitlines()
        .index("        abs(submission.answer(known).value)")
    )
    [line] = [violation for violation in audit.violations if "double_sizes was not judged" in violation]
    assert line.startswith("hwx: odd answer “a text” from double could not be graded: ")
    assert "TypeError: bad operand type for abs(): 'str'" in line
    assert line.endswith(f"(solutions/hwx/{CHECKS_FILE}:{line_number + 1})")


def test_every_odd_answer_ends_in_a_verdict_at_every_check(suite, pool):
    for task in odd_tasks(suite, pool):
        failed = set()
        for label in ODD_ANSWERS:
            for result in grade_odd(odd_submission(suite.homework, task, label), suite, task, pool):
                assert (result.status, result.explanation_faults) == (Status.GRADED, ()), label
                failed |= {check.check for check in result.checks if check.outcome is Outcome.FAILED}
        assert failed == {check.name for check in suite.checks if check.task == task.name}


@pytest.mark.parametrize("homework_id", PAIR)
def test_homeworks_of_the_kit_judge_texts_and_exceptions(homework_id, suite_of, pool):
    suite = suite_of(homework_id)
    for task in odd_tasks(suite, pool):
        for label in ("a text", "texts for numbers", "an exception"):
            for result in grade_odd(odd_submission(suite.homework, task, label), suite, task, pool):
                assert (result.status, result.not_judged) == (Status.GRADED, ())
                assert any(check.outcome is Outcome.FAILED for check in result.checks)


def test_what_is_odd_is_odd(pool, suite):
    (double, _) = odd_tasks(suite, pool)
    values = {}
    for label in ODD_ANSWERS:
        results = list(grade_odd(odd_submission(suite.homework, double, label), suite, double, pool))
        values[label] = results[0].checks[0].kind
    assert values["an exception"] == "raised"
    assert values["NaN"] == "not_finite"
    assert values["an axis more"] == "arity"
    assert values["complex numbers"] == "dtype"
    assert len(set(values.values())) >= 4
