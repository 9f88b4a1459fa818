"""Slow tests of the same subject as ``test_relations``, for CI and `make test WHOLE=1`."""

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st

from autograder.reasons.relations import AXES, related
from autograder.reasons.wrong import WrongArray

NUMBERS = st.floats(-3, 3, width=32)


ODD_NUMBERS = st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300])


MATRICES = np_st.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5)


@hypothesis.given(st.data(), MATRICES)
@hypothesis.settings(max_examples=300, deadline=None)
def test_random_numbers_have_no_relation_whatever_the_right_ones_hold(data, shape):
    right = data.draw(np_st.arrays(np.float64, shape, elements=NUMBERS | ODD_NUMBERS))
    chance = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    odd = data.draw(np_st.arrays(np.bool_, shape)) & data.draw(st.booleans())
    hypothesis.assume(not odd.all())  # else all numbers are the same, which is said
    got = chance.normal(size=shape) * 10
    got[odd] = data.draw(ODD_NUMBERS.filter(bool))
    wrong = WrongArray(got, right, np.ones(shape, bool), {"X": right}, {"`d`": 3}, 1e-5, AXES[len(shape)])
    for is_last in (False, True):
        assert related([wrong], all_cases_wrong=True, is_last=is_last) is None
