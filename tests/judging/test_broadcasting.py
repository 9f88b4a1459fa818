"""An argument that may be broadcast, and is right only in its full shape, is named."""

import pytest

HW8 = "hw8_batched_multihead_attention"
MASKED = "        scores = np.where(mask, scores, -np.inf)\n"
PER_HEAD = (
    "        for b, h in np.ndindex(scores.shape[:2]):\n"
    "            scores[b, h] = np.where(mask[b, h], scores[b, h], -np.inf)\n"
)


@pytest.fixture
def failed(grade_text, course):
    """Grade hw8's solution with its mask used in another way; return the failed checks."""

    def grade(wrong):
        text = course.homework(HW8).solution.read_text("utf-8")
        assert text.count(MASKED) == 1
        result = grade_text(HW8, text.replace(MASKED, wrong))
        return [check for check in result.checks if check.outcome == "failed"]

    return grade


def test_a_mask_that_is_indexed_before_it_is_broadcast_is_named(failed):
    checks = failed(PER_HEAD)
    assert {check.misconceptions for check in checks} == {("argument-not-broadcast",)}
    assert all(check.reason.startswith("It is right as soon as `mask` comes in its full") for check in checks)


def test_a_mask_that_is_wrong_in_its_full_shape_as_well_is_not_named(failed):
    checks = failed(PER_HEAD.replace("mask[b, h]", "~mask[b, h]"))
    assert checks
    assert not any("argument-not-broadcast" in check.misconceptions for check in checks)


INDEXED_PER_ROW = """
def masked_softmax(scores, mask):
    weights = np.zeros(scores.shape)
    for place in np.ndindex(*scores.shape[:-1]):
        allowed = mask[place]
        if not allowed.any():
            continue
        row = scores[place][allowed]
        powers = np.exp(row - row.max())
        weights[place][allowed] = powers / powers.sum()
    return weights
"""


def test_a_mask_with_fewer_axes_than_indices_is_named(grade_text, course):
    text = course.homework("hw7_masked_attention").solution.read_text("utf-8")
    result = grade_text("hw7_masked_attention", text + INDEXED_PER_ROW)
    check = next(check for check in result.checks if check.outcome == "failed")
    assert check.task == "masked_softmax"
    assert check.misconceptions == ("argument-not-broadcast",)
    assert "broadcast `mask` before you index it" in check.reason
