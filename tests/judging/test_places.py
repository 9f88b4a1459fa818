"""Where an array is wrong is told by an argument only if it holds in every case, right ones included."""

import numpy as np
import pytest
from wording import to_students

from autograder.reasons.places import MarkedCase, wrong_where_argument_is


def padded(lengths, n, *, is_wrong):
    """A mask that is all False where ``is_wrong(length, n)``."""
    lengths = np.array(lengths)
    right = np.arange(n)[None, None, :] < lengths[:, None, None]
    mask = np.where(is_wrong(lengths, n)[:, None, None], False, right)
    return MarkedCase(mask, mask != right, {"`lengths`": lengths, "`n`": n})


def told(is_wrong):
    cases = [padded([3, 2], 3, is_wrong=is_wrong), padded([4, 6, 6, 1], 6, is_wrong=is_wrong)]
    reason = wrong_where_argument_is(cases, "your result")
    return reason.says if reason else ""


def test_rows_of_one_length_are_told_by_the_argument_that_has_it():
    assert told(lambda lengths, n: lengths == n) == to_students["places.equal-to-argument"]


@pytest.mark.parametrize(
    "is_wrong",
    [
        lambda lengths, n: lengths == lengths[0],
        lambda lengths, n: (lengths == n) & (n > 3),
        lambda lengths, n: lengths >= n - 1,
    ],
    ids=["the first", "right in one case", "others as well"],
)
def test_a_rule_that_does_not_hold_everywhere_is_not_told(is_wrong):
    assert told(is_wrong) == ""


@pytest.mark.parametrize(("changed", "says"), [([-1], True), ([0, -1], False)])
def test_targets_of_minus_one_are_told_with_the_column_that_they_reach(changed, says):
    cases = []
    for targets in ([[0, 3, -1], [2, -1, 1]], [[-1, 2, 2]]):
        targets = np.array(targets)
        gradient = np.ones((*targets.shape, 4))
        gradient[targets == -1] = 0
        is_wrong = np.zeros(gradient.shape, dtype=bool)
        for column in changed:
            is_wrong[targets == -1, column] = True
        cases.append(MarkedCase(gradient - is_wrong, is_wrong, {"`logits`": gradient, "`targets`": targets}))
    reason = wrong_where_argument_is(cases, "the gradient")
    assert reason.says.startswith("What is wrong in the gradient is exactly where `targets` is -1.")
    assert ("only the last number" in reason.says) is says


def test_one_place_proves_nothing():
    case = MarkedCase(np.zeros(3), np.array([True, False, False]), {"`ids`": np.array([0, 1, 2])})
    assert wrong_where_argument_is([case], "your result") is None
