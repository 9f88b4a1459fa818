import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import to_authors

from autograder.handouts.numbers import printed


def test_a_number_is_printed_to_its_decimals():
    assert printed(np.float64(2.0 / 3.0), 2) == "0.67"
    assert printed(np.float64(-1.0 / 3.0), 3) == "-0.333"
    assert printed(np.int64(8), 0) == "8"


@pytest.mark.parametrize("value", [0.0, -0.0, -1e-17, -0.001])
def test_a_zero_has_no_sign(value):
    assert printed(np.float64(value), 2) == "0.00"


@pytest.mark.parametrize("value", [0.125, -0.125, 2.5e-2 + 1e-6, 0.005, 1.0049999])
def test_a_number_near_a_tie_is_refused_with_a_remedy(value):
    with pytest.raises(ValueError, check=to_authors["handout_rounding.too-near-to-a-tie-more"]):
        printed(np.float64(value), 2)


def test_an_exact_number_is_no_tie_at_its_own_decimals():
    assert printed(np.float64(0.125), 3) == "0.125"


def test_single_precision_needs_more_distance_from_a_tie():
    """A difference that decides nothing in double precision is within the noise of single precision."""
    value = 0.1230 + 0.00005 - 5e-7
    assert printed(np.float64(value), 4) == "0.1230"
    with pytest.raises(ValueError, check=to_authors["handout_rounding.too-near"]):
        printed(np.float32(value), 4)


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, check=to_authors["handout_rounding.not-a-number-to-print"]):
        printed(np.float64(np.nan), 2)


@given(st.floats(-1e4, 1e4), st.integers(0, 5), st.integers(-8, 8))
def test_a_result_that_differs_in_its_last_bits_prints_the_same(value, decimals, bits):
    try:
        text = printed(np.float64(value), decimals)
    except ValueError:
        return
    assert f"{value + bits * np.spacing(value) + 0.0:.{decimals}f}".lstrip("-") == text.lstrip("-")
