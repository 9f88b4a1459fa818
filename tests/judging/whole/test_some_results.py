"""A mistake that explains some of the wrong results is told, where others have a further cause."""

import re
from collections.abc import Callable

from autograder.verdict.results import HomeworkResult

HW7, HW8 = "hw7_masked_attention", "hw8_batched_multihead_attention"
SOME = "Some of your results are explained exactly by this: "

Grade = Callable[[str, str], HomeworkResult]


def reason_of(grade_text, course, homework, check, *edits):
    """Grade the solution with these edits and return the reason of one check."""
    text = course.homework(homework).solution.read_text("utf-8")
    for right, wrong in edits:
        assert right in text
        text = text.replace(right, wrong)
    checks = {check.check: check for check in grade_text(homework, text).checks}
    return checks[check].reason


def test_an_axis_is_named_though_large_scores_overflow_and_empty_rows_are_nan(grade_text, course):
    edits = (
        ("visible - largest", "visible"),
        ("sum(axis=-1, keepdims=True)", "sum(axis=1, keepdims=True)"),
        ("np.where(total == 0, 1, total)", "total"),
    )
    reason = reason_of(grade_text, course, HW7, "masked_softmax_sizes", *edits)
    assert reason.startswith("Your softmax sums over axis 1")
    assert "Exponentials overflow, or all vanish, in your softmax" in reason
    assert "a row in which nothing is allowed divides 0 by 0" in reason


def test_three_mistakes_are_named_together(grade_text, course):
    edits = (
        ("if mask is not None:", "if False:"),
        ("heads.transpose(0, 2, 1, 3)", "heads.reshape(batch, n_heads, n_tokens, -1)"),
        ("X.transpose(0, 2, 1, 3)", "X"),
    )
    reason = reason_of(grade_text, course, HW8, "multihead_published", *edits)
    assert reason.startswith("Your features are cut into heads by a reshape alone")
    assert "Your heads are merged by a reshape alone" in reason
    assert "Your output is that without a mask." in reason


def test_two_mistakes_are_named_though_masks_are_treated_in_an_unknown_way(grade_text, course):
    edits = (
        ("np.where(mask, scores, -np.inf)", "np.where(mask, scores, 0.37 * scores - 1.3)"),
        ("heads.transpose(0, 2, 1, 3)", "heads.reshape(batch, n_heads, n_tokens, -1)"),
        ("X.transpose(0, 2, 1, 3)", "X"),
    )
    reason = reason_of(grade_text, course, HW8, "split_heads_published", *edits)
    assert reason.startswith("Your features are cut into heads by a reshape alone")
    reason = reason_of(grade_text, course, HW8, "multihead_published", *edits)
    assert re.match("`multihead_attention` calls your `(merge|split)_heads`, whose own check fails", reason)


def test_a_mistake_that_agrees_only_where_sizes_are_equal_is_not_named(grade_text, course):
    """The root of d_v plus 1 less the number of queries is that of d_v in the cases of one query alone."""
    edits = (("np.sqrt(K.shape[-1])", "np.sqrt(abs(V.shape[-1] + Q.shape[-2] - K.shape[-2]) + 0.0)"),)
    reason = reason_of(grade_text, course, HW7, "masked_attention_weights", *edits)
    assert SOME not in reason


def test_an_additive_mask_is_told_where_its_zeros_stand(grade_text, course):
    inverted = (
        "return position[:, None] >= position",
        "return np.where(position[:, None] >= position, -np.inf, 0)",
    )
    reason = reason_of(grade_text, course, HW7, "causal_mask_published", inverted)
    assert "0 is where they are False" in reason
    shifted = (
        "return position[:, None] >= position",
        "return np.where(position[:, None] > position, 0, -np.inf)",
    )
    reason = reason_of(grade_text, course, HW7, "causal_mask_published", shifted)
    assert "0 is not where True should be" in reason
    assert "mask == 0" not in reason


def test_numbers_that_are_nearly_right_are_not_taken_for_a_size_that_is_typed_in(grade_text, course):
    edits = (("np.where(total == 0, 1, total)", "(total + 4e-5)"),)
    reason = reason_of(grade_text, course, HW7, "masked_softmax_sizes", *edits)
    assert reason.startswith("Your numbers are close to the right ones")


def test_reversed_axes_of_a_batch_are_pointed_out(grade_text, course):
    edits = (("Q @ np.swapaxes(K, -1, -2)", "np.dot(Q, K.T)"),)
    reason = reason_of(grade_text, course, HW7, "masked_attention_published", *edits)
    assert "`.T` turns the order of all axes around" in reason


def test_an_axis_that_a_sum_has_lost_is_pointed_out(grade_text, course):
    edits = (("exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum(axis=-1)"),)
    reason = reason_of(grade_text, course, HW8, "multihead_published", *edits)
    assert "They would fit if (2, 2, 3) had one more axis, (2, 2, 3, 1): `keepdims=True` keeps it" in reason


def test_one_part_alone_is_named_by_its_shape(grade_text, course):
    edits = (("return weights, weights @ V", "return weights"),)
    reason = reason_of(grade_text, course, HW7, "masked_attention_published", *edits)
    assert "It has the shape of the attention weights: return the others as well." in reason


def test_axes_that_belong_together_are_pointed_out(grade_text, course):
    edits = (("return table\n", "return table.reshape(n, -1, 2)\n"),)
    reason = reason_of(
        grade_text, course, "hw9_positions_and_cache", "sinusoidal_positions_published", *edits
    )
    assert "Of the two axes of 3 and 2, one of 6 should be made." in reason


def test_a_mask_of_which_one_sentence_is_the_opposite_is_not_called_the_opposite(grade_text, course):
    edits = (
        (
            "return position < np.asarray(lengths)",
            "return position < np.where(np.asarray(lengths) > 0, lengths, n)",
        ),
    )
    reason = reason_of(grade_text, course, HW7, "padding_mask_sizes", *edits)
    assert "entries of the mask are wrong" in reason
    assert "the opposite" not in reason


def test_heads_that_differ_in_number_are_not_called_inner_sizes(grade_text, course):
    edits = (
        ("np.repeat(split_heads(X @ W_k, n_kv_heads), group, axis=1)", "split_heads(X @ W_k, n_kv_heads)"),
    )
    reason = reason_of(grade_text, course, HW8, "grouped_query_published", *edits)
    assert "It says: the sizes 4 and 2 of a product differ." in reason
    assert "inner sizes" not in reason
    assert "They would fit" not in reason


def test_transpose_without_axes_is_pointed_out_in_a_batch(grade_text, course):
    edits = (("Q @ np.swapaxes(K, -1, -2)", "Q @ K.transpose()"),)
    reason = reason_of(grade_text, course, HW7, "masked_attention_published", *edits)
    assert "`.T` turns the order of all axes around" in reason


def test_four_faults_of_one_function_are_named(grade_text, course):
    """Unscaled scores of a transposition for three axes, and NaN where nothing is allowed."""
    edits = (
        ("Q @ np.swapaxes(K, -1, -2) / scale", "Q @ np.swapaxes(K, 1, 2)"),
        ("np.where(largest == -np.inf, 0, largest)", "largest"),
    )
    reason = reason_of(grade_text, course, HW7, "masked_attention_weights", *edits)
    assert "Your scores reach the softmax unscaled." in reason
    assert "Axes 1 and 2 of the keys are exchanged by their numbers" in reason
    assert "Where a row allows nothing, NaN comes out of your softmax" in reason


def test_an_exception_of_another_cause_is_not_explained_by_a_mistake_that_raises_elsewhere(
    grade_text, course
):
    """Scores that are divided by D / H explain the cases that do not raise, and no other."""
    text = course.homework(HW8).solution.read_text("utf-8").replace("scale = np.sqrt(", "scale = (")
    before, name, grouped = text.partition("def grouped_query_attention")
    raises = "X = X.reshape(7, 7, 7) if n_kv_heads < n_heads else X\n    group = n_heads // n_kv_heads"
    grouped = grouped.replace("group = n_heads // n_kv_heads", raises)
    checks = {check.check: check for check in grade_text(HW8, f"{before}{name}{grouped}").checks}
    check = checks["grouped_query_sizes"]
    assert check.reason.startswith("`grouped_query_attention` raised ValueError")
    assert f"{SOME}Your scores are divided by D / H itself." in check.reason
    assert check.misconceptions == ()


def test_numbers_in_a_mask_that_is_wrong_in_another_way_are_told_as_well(grade_text, course):
    inverted = ("return position[:, None] >= position", "return 1.0 * (position[:, None] < position)")
    reason = reason_of(grade_text, course, HW7, "causal_mask_published", inverted)
    assert reason.startswith("Your causal mask is True where a key is hidden.")
    assert "its dtype is float64, but it should be boolean" in reason


def test_lists_that_outlive_a_call_are_named_where_later_calls_raise(grade_text, course):
    edits = (
        ("def attend_one_step(", "KEYS, VALUES = [], []\n\n\ndef attend_one_step("),
        ("np.concatenate([cache_k, k_new[None]])", "np.array(KEYS.append(k_new) or KEYS)"),
        ("np.concatenate([cache_v, v_new[None]])", "np.array(VALUES.append(v_new) or VALUES)"),
    )
    reason = reason_of(grade_text, course, "hw9_positions_and_cache", "attend_one_step_sizes", *edits)
    assert reason.startswith("`attend_one_step` answers the same call differently after other calls")


def test_keys_that_are_split_into_equal_parts_get_a_remedy(grade_text, course):
    edits = (
        (
            "scale = np.sqrt(Q.shape[-1])\n    largest",
            "scale = np.sqrt(Q.shape[-1])\n    np.split(K, len(K) // block_size)\n    largest",
        ),
    )
    reason = reason_of(grade_text, course, "hw9_positions_and_cache", "blockwise_attention_published", *edits)
    assert "`np.split` cuts into a number of equal parts" in reason
