from dataclasses import replace

import numpy as np
import pytest
from wording import to_authors

from autograder.course.cases import Case, FunctionCall, ModuleCall, tensor
from autograder.course.schema import CourseError
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know, known_case
from autograder.worker.wire import Tensor, Unsendable

CASE = Case("double/wide", FunctionCall("double", (np.ones(2),)))


@pytest.mark.parametrize(
    ("call", "tolerance"),
    [
        (FunctionCall("double", (np.ones(2), 3)), 1e-5),
        (FunctionCall("double", (tensor(np.ones(2)),)), 1e-4),
        (ModuleCall("Block", (), tensor(np.ones(2))), 1e-4),
    ],
)
def test_before_it_is_weighed_a_case_has_the_least_tolerance_or_its_own(tiny, call, tolerance):
    case, answer = Case("double/wide", call), Answer(value=np.ones(2))
    assert known_case(tiny.homework, case, answer).tolerance == tolerance
    assert known_case(tiny.homework, replace(case, tolerance=0.5), answer).tolerance == 0.5


def test_a_case_about_gradients_is_as_far_off_as_its_gradients():
    gradients = {"0": np.array([1.0, 4.0]), "1": None}
    known = KnownCase(CASE, np.ones(2), gradients, 1e-5)
    assert known.distance(Answer(value=np.zeros(2), gradients=gradients)) == 0
    assert known.distance(Answer(value=np.ones(2), gradients={"0": np.array([1.0, 5.0])})) == 0.25
    assert known.distance(Answer(value=np.ones(2), gradients={"0": None})) == np.inf
    assert known.distance(Answer(value=np.ones(2))) == np.inf


@pytest.mark.parametrize(
    "value",
    [
        3,
        2.5,
        np.arange(3),
        Tensor(np.ones(2)),
        (np.ones(2), 1.0),
        [np.ones((2, 1)), np.ones((2, 1))],
        [1, 2],
        np.zeros(0),
    ],
)
def test_numbers_in_any_form_can_be_expected(tiny, value):
    assert compare_case(known_case(tiny.homework, CASE, Answer(value=value)), value) is None


@pytest.mark.parametrize(
    "value",
    [
        Unsendable("a generator"),
        np.array([1.0, np.nan]),
        Tensor(np.array([np.inf])),
        np.ones(2, complex),
        (np.ones(2), [np.ones(1), np.array([np.nan])]),
    ],
)
def test_nothing_else_can_be_expected_for_every_right_answer_would_fail(tiny, value):
    with pytest.raises(CourseError, check=to_authors["known.case-hidden-double-wide"]):
        known_case(tiny.homework, CASE, Answer(value=value))


def test_the_reference_answers_each_case_with_fresh_arguments(tiny, pool):
    """A reference that changes its argument does not change the next case of the same array."""
    tiny.edit("doubles.py", "return factor * x", "x *= factor\n    return x")
    x = np.ones(2)
    cases = [Case(f"double/{n}", FunctionCall("double", (x,))) for n in range(3)]
    assert [known_case.expected.tolist() for known_case in know(tiny.homework, cases, pool)] == [
        [2.0, 2.0]
    ] * 3
    np.testing.assert_array_equal(x, [1.0, 1.0])
