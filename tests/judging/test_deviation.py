"""The measure of tolerances: what compares as right deviates by no more than the tolerance."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.verdict import arrays
from autograder.verdict.arrays import MOST_KEPT, as_rectangle, deviation, is_plainly_right
from autograder.verdict.comparison import compare_values
from autograder.worker.wire import Tensor


@pytest.mark.parametrize(
    ("value", "expected", "distance"),
    [
        (np.array([1.0, 2.5]), np.array([1.0, 2.0]), 0.25),
        (np.array([0.1, 0.3]), np.array([0.1, 0.2]), 0.1),
        ([1.0, 2.5], np.array([1.0, 2.0]), 0.25),
        (Tensor(np.ones(2, np.float32)), np.zeros(2), 1.0),
        (np.array([3, 2]), np.array([1.0, 2.0]), 1.0),
        (2.5, np.float64(2.0), 0.25),
        ((np.zeros(2), np.ones(3)), (np.zeros(2), np.zeros(3)), 1.0),
        (np.array([[0.0], [1.0]]), [np.zeros(1), np.zeros(1)], 1.0),
        (np.zeros(0), np.zeros(0), 0.0),
    ],
)
def test_it_is_relative_to_the_larger_of_one_and_the_expected_magnitude(value, expected, distance):
    assert deviation(value, expected) == pytest.approx(distance)


@pytest.mark.parametrize(
    "value",
    [
        None,
        np.ones(3),
        np.ones((1, 2)),
        np.array([1.0, math.nan]),
        np.array([1.0, math.inf]),
        np.ones(2, bool),
        np.ones(2, complex),
        (np.ones(2),),
        [[1.0], [2.0, 3.0]],
    ],
)
def test_another_form_is_infinitely_far(value):
    assert deviation(value, np.ones(2)) == math.inf
    assert deviation((value, np.ones(2)), (np.ones(2), np.ones(2))) == math.inf


@given(
    st.lists(st.floats(width=32), max_size=4),
    st.lists(st.floats(width=32), max_size=4),
    st.sampled_from([np.float64, np.float32, np.float16]),
)
def test_equal_bytes_say_what_the_numbers_say(numbers, others, dtype):
    with np.errstate(over="ignore"):
        expected = np.array(numbers, np.float64)
        values = [np.array(numbers, dtype), np.array(others, dtype), expected.copy()]
    for value in values:
        by_bytes = (deviation(value, expected), is_plainly_right(value, expected, 1e-9))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "MOST_BYTES_COMPARED", -1)
            by_numbers = (deviation(value, expected), is_plainly_right(value, expected, 1e-9))
        assert by_bytes == by_numbers


def test_a_missing_part_is_infinitely_far():
    assert deviation((np.ones(2),), (np.ones(2), np.ones(2))) == math.inf


def test_a_list_is_read_once_though_it_is_compared_often_and_no_other_is_taken_for_it():
    nested = [[1.0, 2.0], [3.0, 4.0]]
    array = as_rectangle(nested)
    assert as_rectangle(nested) is array
    assert not array.flags.writeable
    for number in range(2 * MOST_KEPT):
        assert as_rectangle([[number], [0]]).tolist() == [[number], [0]]
        assert as_rectangle([[number], [0, 1]]) is None
    assert as_rectangle(nested) is not array
    assert as_rectangle(nested).tolist() == nested


numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4)


@given(numbers, numbers, st.sampled_from([1e-5, 1e-2, 1.0]))
def test_a_value_is_right_exactly_when_it_deviates_by_no_more_than_the_tolerance(answer, other, tolerance):
    value, expected = np.array(answer), np.array(other)
    distance = deviation(value, expected)
    if not math.isclose(distance, tolerance, rel_tol=1e-9):
        is_right = compare_values(value, expected, tolerance=tolerance) is None
        assert is_right == (distance < tolerance)
