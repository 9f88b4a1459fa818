"""A landmark rules out only answers that a comparison of all numbers rules out as well."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograder.reasons.agreement import same_answer
from autograder.reasons.landmarks import landmark_of
from autograder.sandbox.report import Answer

NUMBERS = st.floats(width=64) | st.sampled_from([0.0, 1.0, 1.0 + 1e-6, 1.0 + 1e-5, math.nan, math.inf, 1e308])
MATRICES = arrays(np.float64, st.sampled_from([(2, 2), (1, 3)]), elements=NUMBERS)
ANSWERS = MATRICES | st.tuples(MATRICES, MATRICES)
TOLERANCE = 1e-6
RIGHT = np.array([[1.0, 2.0], [3.0, 4.0]])
WRONG = np.array([[1.0, 2.5], [3.0, 5.0]])


@given(ANSWERS, ANSWERS, ANSWERS)
def test_what_misses_a_landmark_is_no_equal_answer(mutant, right, value):
    landmark = landmark_of(mutant, right, TOLERANCE)
    if landmark is not None and landmark.is_missed_by(value):
        assert not same_answer(Answer(value), Answer(mutant), TOLERANCE)
        assert not same_answer(Answer(mutant), Answer(value), TOLERANCE)


def test_the_landmark_is_the_number_farthest_from_the_right_one():
    landmark = landmark_of((RIGHT, WRONG), (RIGHT, RIGHT), TOLERANCE)
    assert (landmark.part, landmark.place, landmark.number) == (1, 3, 5.0)
    assert landmark.is_missed_by((WRONG, RIGHT))
    assert not landmark.is_missed_by((RIGHT, WRONG))


@pytest.mark.parametrize("value", [None, "text", [RIGHT], RIGHT[:1], RIGHT.astype(int), RIGHT * np.nan])
def test_a_value_of_another_kind_is_left_to_the_comparison(value):
    landmark = landmark_of(WRONG, RIGHT, TOLERANCE)
    assert not landmark.is_missed_by(value)


@pytest.mark.parametrize("value", [None, WRONG * np.inf, WRONG[:0], (WRONG, None), WRONG.tolist()])
def test_an_answer_that_is_not_of_finite_floats_has_no_landmark(value):
    assert landmark_of(value, RIGHT, TOLERANCE) is None
    assert landmark_of(value, (RIGHT, RIGHT), TOLERANCE) is None
