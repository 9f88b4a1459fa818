"""Slow tests of the same subject as ``test_changed_solutions``, for CI and `make test WHOLE=1`."""

import pytest
from submissions import edited

from ..asking import failed
from ..test_changed_solutions import OUTPUT, labels

__all__ = ["labels"]  # the fixtures

HW8, HW9 = "hw8_batched_multihead_attention", "hw9_positions_and_cache"


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_right_numbers_that_are_rounded_are_told_so(labels, decimals):
    assert labels(OUTPUT, f"return np.round(attention_weights @ V, {decimals})") == {"rounds-result"}


@pytest.mark.parametrize(
    ("top", "wrong", "called"),
    [
        ("table = np.ones((3, 3))", "return table", "returns-global"),
        ("table = [[1.0, 2.0], [3.0, 4.0]]", "return np.array(table)", "returns-global"),
        ("table = np.ones((3, 3))\ntwo = np.ones((3, 2))", "return table @ two", "depends-on-global"),
        ("table = np.ones((3, 3))", "return np.zeros((len(attention_weights), V.shape[1]))", "returns-zeros"),
        ("table = np.ones((9, 9))", "return attention_weights @ V + table[0, 0]", "constant-offset"),
        ("size = 3", "return np.ones((size, size))", "argument-unused"),
        ("", "return np.ones((3, 3))", "argument-unused"),
    ],
)
def test_a_value_from_outside_is_named_where_it_comes_back_whatever_the_input(labels, top, wrong, called):
    assert labels(OUTPUT, wrong, top) - {"argument-unused"} == {called} - {"argument-unused"}


def test_the_advice_for_large_scores_is_not_what_a_masking_program_does_already(grade_edited):
    """It subtracts the largest score, which may be a forbidden one."""
    result = grade_edited(
        "hw7_masked_attention",
        ("largest = visible.max(", "largest = abs(scores).max("),
        ("np.where(total == 0, 1, total)", "np.where(np.any(mask, axis=-1, keepdims=True), total, 1)"),
    )
    reasons = [check.reason for check in result.checks if check.misconceptions == ("softmax-unstable",)]
    assert "the maximum of the allowed ones" in reasons[0]
    assert "First subtract" not in reasons[0]


@pytest.mark.parametrize(
    ("body", "called"),
    [
        # heads of one matrix of tokens, in three styles
        ("return np.stack(np.split(X, n_heads, axis=1))", "one-sequence-only"),
        ("return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)", "one-sequence-only"),
        (
            "n, d = X.shape[0], X.shape[-1]\n    return X.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)",
            "one-sequence-only",
        ),
        # wrong for one matrix as well
        ("return X.reshape(len(X), n_heads, -1)", ""),
        ("raise ValueError('not yet')", ""),
    ],
)
def test_code_for_one_sequence_is_told_so_and_only_if_it_is_right_for_each(grade_up_to, body, called):
    text = f"{edited(HW8)}\n\ndef split_heads(X, n_heads):\n    {body}\n"
    result = grade_up_to(HW8, "split_heads", text)
    checks = failed(result, "split_heads")
    assert checks
    assert {label for check in checks for label in check.misconceptions} == ({called} if called else set())


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("return solution(x, positions, base)[:, None] + np.zeros((1, len(x), 1))", {"all-rows-paired"}),
        ("return solution(x, positions, base) + np.zeros((len(x), 1, 1))", {"all-rows-paired"}),
        (
            "return solution(x, np.arange(len(x)), base)[:, None] + np.zeros((1, len(x), 1))",
            {"all-rows-paired", "positions-ignored"},
        ),
        ("return (solution(x, positions, base) + np.zeros((len(x), 1, 1)))[None]", {"all-rows-paired"}),
        ("return np.ones((len(x), *x.shape))", set()),
    ],
)
def test_a_result_in_which_every_row_meets_every_row_is_told_so(grade_up_to, body, called):
    wrong = f"solution = apply_rope\n\n\ndef apply_rope(x, positions, base=10000.0):\n    {body}\n"
    checks = failed(grade_up_to(HW9, "apply_rope", f"{edited(HW9)}\n\n{wrong}"), "apply_rope")
    assert checks
    labels = {label for check in checks for label in check.misconceptions}
    assert labels & {"all-rows-paired", "positions-ignored"} == called
