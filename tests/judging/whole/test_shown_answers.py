"""Slow tests of the same subject as ``test_shown_answers``, for CI and `make test WHOLE=1`."""

import pytest

from ..test_shown_answers import (
    KEEPS,
    _assert_nothing_is_told,
    hiding,
)


@pytest.mark.parametrize("place", KEEPS)
def test_hidden_inputs_that_a_submission_keeps_do_not_come_back_in_what_is_shown(
    place, suite, pool, tmp_path
):
    _assert_nothing_is_told(hiding(suite, place, "numbers"), suite, pool, tmp_path)
