import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.authoring.tolerances import rounded_up, steady_noise, tolerance_of
from autograder.course.cases import FunctionCall, ModuleCall, ValueRead, tensor
from autograder.verdict.known import LEAST_NOISE, SAFETY, Evidence
from autograder.verdict.reference import least_tolerance

ONES = np.ones(2)


@pytest.mark.parametrize(
    ("number", "step"),
    [(1e-5, 1e-5), (1.01e-5, 2e-5), (2.5e-5, 5e-5), (5.1e-5, 1e-4), (3, 5), (0.2, 0.2), (9.99e-9, 1e-8)],
)
def test_numbers_are_rounded_up_to_one_two_or_five(number, step):
    assert rounded_up(number) == step


@given(st.floats(1e-12, 1e6))
def test_rounding_up_never_lowers_and_settles_at_once(number):
    step = rounded_up(number)
    assert number * (1 - 1e-8) <= step <= 2.5 * number * (1 + 1e-8)
    assert rounded_up(step) == step


def test_noise_decides_where_it_exceeds_the_least_tolerance():
    assert tolerance_of(Evidence(noise=1e-7), 1e-5) == 1e-5
    assert tolerance_of(Evidence(noise=1e-4), 1e-5) == rounded_up(SAFETY * 1e-4)


def test_printed_decimals_widen_a_tolerance():
    assert tolerance_of(Evidence(noise=1e-7, printed=5e-3), 1e-5) == 5e-3


@pytest.mark.parametrize(
    ("call", "least"),
    [
        (FunctionCall("f", (ONES, 3)), 1e-5),
        (FunctionCall("f", (ONES, tensor(ONES))), 1e-4),
        (ModuleCall("Block", (), tensor(ONES)), 1e-4),
        (ValueRead("all_x"), 1e-5),
    ],
)
def test_tensors_are_allowed_more_than_arrays(call, least):
    assert least_tolerance(call) == least


@pytest.mark.parametrize(
    ("measured", "stored", "is_kept"),
    [
        (3e-7, None, 5e-7),
        (3e-7, 1e-7, 1e-7),
        (3e-7, 2e-6, 2e-6),
        (6e-7, 1e-7, 1e-6),
        (1e-8, 1e-6, LEAST_NOISE),
        (0.0, None, LEAST_NOISE),
        (1e-17, LEAST_NOISE, LEAST_NOISE),
    ],
)
def test_stored_noise_stays_unless_it_is_clearly_another(measured, stored, is_kept):
    assert steady_noise(measured, stored) == is_kept


def test_a_distance_within_safety_or_print_may_be_an_honest_answer():
    assert math.isclose(Evidence(noise=1e-7).correct_deviation, SAFETY * 1e-7)
    assert Evidence(noise=1e-7, printed=1e-3).correct_deviation == 1e-3
