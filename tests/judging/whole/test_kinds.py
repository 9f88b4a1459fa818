"""Slow tests of the same subject as ``test_kinds``, for CI and `make test WHOLE=1`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.verdict.comparison import compare_values

from ..test_kinds import EXPECTED, decoded


@pytest.mark.filterwarnings("error")
@given(decoded(), st.sampled_from(EXPECTED))
@settings(deadline=None, max_examples=150)
def test_judging_never_raises_and_never_warns(value, expected):
    finding = compare_values(value, expected, tolerance=1e-5, names=["a", "b"])
    assert finding is None or finding.student
