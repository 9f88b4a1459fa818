"""Wrong answers that are no known mistake, or only in part: they get the name of what they show, or none."""

import re
import tomllib
from pathlib import Path

import pytest
from submissions import edited

from ..asking import failed

HW1, HW3, HW5 = "hw1_attention_scores", "hw3_scaled_dot_product_attention", "hw5_multihead_attention"

SCORES, SCALED = "return Q @ K.T", "return scores / np.sqrt(d_k)"
SHARES = "return exponentials / total"
NORMALISED = "return p / p.sum(axis=-1, keepdims=True)"
OUTPUT, BOTH = "return attention_weights @ V", "return attention_weights, attention_weights @ V"
STACKED = "return omega_c @ np.vstack((head_1, head_2))"
MIXED = "return V @ weights"

ODD = {
    "constant noise": (HW1, SCORES, "return Q @ K.T + 0.01"),
    "one wrong entry": (HW1, SCORES, "s = Q @ K.T\n    s[0, 0] += 1\n    return s"),
    "another sign": (HW1, SCORES, "return -(Q @ K.T)"),
    "shuffled rows": (HW1, SCORES, "return np.random.default_rng(3).permutation(Q @ K.T)"),
    "random numbers": (HW1, SCORES, "return np.random.normal(size=(len(Q), len(K)))"),
    "cube root": (HW1, SCALED, "return scores / d_k ** (1 / 3)"),
    "too few digits of some": (
        HW1,
        SCALED,
        "s = scores / np.sqrt(d_k)\n    s[0] = np.round(s[0], 2) + 1\n    return s",
    ),
    "base two": (HW1, SHARES, f"p = 2.0 ** (x - x.max())\n    {NORMALISED}"),
    "temperature": (HW1, SHARES, f"p = exponentials ** 0.9\n    {NORMALISED}"),
    "no negative scores": (
        HW1,
        SHARES,
        f"p = np.maximum(x, 0) + 1e-9\n    {NORMALISED}",
    ),
    "values upside down": (HW1, OUTPUT, "return attention_weights @ V[::-1]"),
    "sorted weights": (HW3, BOTH, "w = np.sort(attention_weights)\n    return w, w @ V"),
    "no look ahead": (
        HW3,
        BOTH,
        "w = np.tril(attention_weights)\n    return w, w @ V",
    ),
    "three mistakes": (
        HW3,
        "scores = Q @ K.T / scale\n    attention_weights = softmax(scores)",
        "scores = K @ Q.T / K.shape[-1]\n    attention_weights = softmax(softmax(scores).T)[:, ::-1]",
    ),
    "heads subtracted": (HW5, STACKED, "return omega_c @ np.vstack((head_1 - head_2, head_2))"),
    "tokens averaged": (
        HW5,
        STACKED,
        "return 0 * X + (omega_c @ np.vstack((head_1, head_2))).mean(axis=1)[:, None]",
    ),
    "values added": (HW5, MIXED, "return V + V @ weights"),
}


SHOWN = {
    "constant noise": "constant-offset",
    "another sign": "sign-flipped",
    "shuffled rows": "rows-in-another-order",
    "random numbers": "differs-from-call-to-call",
    "cube root": "constant-factor",
    "too few digits of some": "region-wrong",
    "base two": "powers-of-two",
    "temperature": "scores-scaled",
    "no negative scores": "not-exponentials",
    "values upside down": "argument-reversed",
    "sorted weights": "sorted",
    "no look ahead": "region-wrong",
    "tokens averaged": "all-alike",
    "three mistakes": "depends-on-other-place",
    "heads subtracted": "depends-on-other-place",
}


@pytest.mark.usefixtures("searches_are_short")
@pytest.mark.parametrize("name", ODD)
def test_an_odd_wrong_answer_is_called_by_what_it_shows_or_has_no_name(name, first_failed):
    homework_id, *edit = ODD[name]
    assert first_failed(homework_id, edit).misconceptions == ((SHOWN[name],) if name in SHOWN else ())


TWO = {
    "no scaling, wrong axis": (
        HW3,
        {" / scale": "", "axis=-1": "axis=0"},
        {"no-scaling", "softmax-over-queries"},
    ),
    "scaled by d, weights transposed": (
        HW3,
        {"np.sqrt(K.shape[-1])": "K.shape[-1]", "attention_weights @ V": "attention_weights.T @ V"},
        {"scale-by-d", "weights-transposed"},
    ),
    "heads swapped, no scaling": (
        HW5,
        {"(head_1, head_2)": "(head_2, head_1)", " / scale": ""},
        {"heads-swapped", "no-scaling"},
    ),
    "scaled by d, wrong axis, in two functions": (
        HW1,
        {"np.sqrt(d_k)": "d_k", "axis=-1": "axis=0"},
        {"scale-by-d", "softmax-over-queries"},
    ),
}


@pytest.mark.usefixtures("searches_are_short")
@pytest.mark.parametrize("name", TWO)
def test_two_mistakes_are_called_by_their_names_and_no_other(name, grade_edited):
    homework_id, changes, expected = TWO[name]
    result = grade_edited(homework_id, *changes.items())
    labels = {label for check in result.checks for label in check.misconceptions}
    assert labels
    assert labels <= expected


INVENTED = tomllib.loads(Path(__file__).with_name("invented.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", INVENTED)
def test_a_message_says_where_to_look(name, judge_text):
    invented = INVENTED[name]
    text = edited(invented["homework"])
    for right, wrong in invented["edits"]:
        assert right in text
        text = text.replace(right, wrong, 1)
    first = failed(judge_text(invented["homework"], text, reasons=1))[0]
    assert re.search(invented["where"], first.reason)
    assert invented["where"] or not first.misconceptions


def test_one_width_for_every_size_is_not_called_a_layer_too_many(reason_of):
    told = reason_of(
        "hw6_encoder_block",
        "encoder_block_128",
        ("nn.Linear(embed_dim, ff_dim)", "nn.Linear(embed_dim, 512)"),
        ("nn.Linear(ff_dim, ", "nn.Linear(512, "),
        (", batch_first=True", ""),
    )
    assert told
    assert "holds more" not in told


HW7, HW8 = "hw7_masked_attention", "hw8_batched_multihead_attention"
SOME = "Some of your results are explained exactly by this: "


def test_an_axis_is_named_though_large_scores_overflow_and_empty_rows_are_nan(reason_of):
    told = reason_of(
        HW7,
        "masked_softmax_sizes",
        ("visible - largest", "visible"),
        ("sum(axis=-1, keepdims=True)", "sum(axis=1, keepdims=True)"),
        ("np.where(total == 0, 1, total)", "total"),
    )
    assert told.startswith("Your softmax sums over axis 1")
    assert "Exponentials overflow, or all vanish, in your softmax" in told
    assert "a row in which nothing is allowed divides 0 by 0" in told


def test_three_mistakes_are_named_together(reason_of):
    told = reason_of(
        HW8,
        "multihead_published",
        ("if mask is not None:", "if False:"),
        ("heads.transpose(0, 2, 1, 3)", "heads.reshape(batch, n_heads, n_tokens, -1)"),
        ("X.transpose(0, 2, 1, 3)", "X"),
    )
    assert told.startswith("Your features are cut into heads by a reshape alone")
    assert "Your merged heads are those of a reshape alone" in told
    assert "Your output is that without a mask." in told


def test_two_mistakes_are_named_though_masks_are_treated_in_an_unknown_way(reason_of):
    edits = (
        ("np.where(mask, scores, -np.inf)", "np.where(mask, scores, 0.37 * scores - 1.3)"),
        ("heads.transpose(0, 2, 1, 3)", "heads.reshape(batch, n_heads, n_tokens, -1)"),
        ("X.transpose(0, 2, 1, 3)", "X"),
    )
    told = reason_of(HW8, "split_heads_published", *edits)
    assert told.startswith("Your features are cut into heads by a reshape alone")
    told = reason_of(HW8, "multihead_published", *edits)
    assert re.match("`multihead_attention` calls your `(merge|split)_heads`, whose own check fails", told)


def test_a_mistake_that_agrees_only_where_sizes_are_equal_is_not_named(reason_of):
    """The root of d_v plus 1 less the number of queries is that of d_v in the cases of one query alone."""
    told = reason_of(
        HW7,
        "masked_attention_weights",
        ("np.sqrt(K.shape[-1])", "np.sqrt(abs(V.shape[-1] + Q.shape[-2] - K.shape[-2]) + 0.0)"),
    )
    assert SOME not in told


def test_an_additive_mask_is_told_where_its_zeros_stand(reason_of):
    inverted = (
        "return position[:, None] >= position",
        "return np.where(position[:, None] >= position, -np.inf, 0)",
    )
    told = reason_of(HW7, "causal_mask_published", inverted)
    assert "0 is where they are False" in told
    shifted = (
        "return position[:, None] >= position",
        "return np.where(position[:, None] > position, 0, -np.inf)",
    )
    told = reason_of(HW7, "causal_mask_published", shifted)
    assert "0 is not where True should be" in told
    assert "mask == 0" not in told


def test_numbers_that_are_nearly_right_are_not_taken_for_a_size_that_is_typed_in(reason_of):
    told = reason_of(HW7, "masked_softmax_sizes", ("np.where(total == 0, 1, total)", "(total + 4e-5)"))
    assert told.startswith("Your numbers are close to the right ones")


def test_reversed_axes_of_a_batch_are_pointed_out(reason_of):
    told = reason_of(HW7, "masked_attention_published", ("Q @ np.swapaxes(K, -1, -2)", "np.dot(Q, K.T)"))
    assert "`.T` turns the order of all axes around" in told


def test_an_axis_that_a_sum_has_lost_is_pointed_out(reason_of):
    told = reason_of(
        HW8, "multihead_published", ("exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum(axis=-1)")
    )
    assert "They would fit if (2, 2, 3) had one more axis, (2, 2, 3, 1): `keepdims=True` keeps it" in told


def test_one_part_alone_is_named_by_its_shape(reason_of):
    told = reason_of(HW7, "masked_attention_published", ("return weights, weights @ V", "return weights"))
    assert "It has the shape of the attention weights: return the others as well." in told


def test_axes_that_belong_together_are_pointed_out(reason_of):
    edits = (("return table\n", "return table.reshape(n, -1, 2)\n"),)
    told = reason_of("hw9_positions_and_cache", "sinusoidal_positions_published", *edits)
    assert "Of the two axes of 3 and 2, one of 6 should be made." in told


def test_a_mask_of_which_one_sentence_is_the_opposite_is_not_called_the_opposite(reason_of):
    told = reason_of(
        HW7,
        "padding_mask_sizes",
        (
            "return position < np.asarray(lengths)",
            "return position < np.where(np.asarray(lengths) > 0, lengths, n)",
        ),
    )
    assert "entries of the mask are wrong" in told
    assert "the opposite" not in told


def test_heads_that_differ_in_number_are_not_called_inner_sizes(reason_of):
    told = reason_of(
        HW8,
        "grouped_query_published",
        ("np.repeat(split_heads(X @ W_k, n_kv_heads), group, axis=1)", "split_heads(X @ W_k, n_kv_heads)"),
    )
    assert "It says: the sizes 4 and 2 of a product differ." in told
    assert "inner sizes" not in told
    assert "They would fit" not in told


def test_transpose_without_axes_is_pointed_out_in_a_batch(reason_of):
    told = reason_of(HW7, "masked_attention_published", ("Q @ np.swapaxes(K, -1, -2)", "Q @ K.transpose()"))
    assert "`.T` turns the order of all axes around" in told


def test_four_faults_of_one_function_are_named(reason_of):
    """Unscaled scores of a transposition for three axes, and NaN where nothing is allowed."""
    told = reason_of(
        HW7,
        "masked_attention_weights",
        ("Q @ np.swapaxes(K, -1, -2) / scale", "Q @ np.swapaxes(K, 1, 2)"),
        ("np.where(largest == -np.inf, 0, largest)", "largest"),
    )
    assert "Your scores reach the softmax unscaled." in told
    assert "Axes 1 and 2 of the keys are exchanged by their numbers" in told
    assert "Where a row allows nothing, NaN comes out of your softmax" in told


def test_an_exception_of_another_cause_is_not_explained_by_a_mistake_that_raises_elsewhere(grade_up_to):
    """Scores that are divided by D / H explain the cases that do not raise, and no other."""
    group = "group = n_heads // n_kv_heads"
    raises = (group, f"X = X.reshape(7, 7, 7) if n_kv_heads < n_heads else X\n    {group}")
    result = grade_up_to(HW8, "grouped_query_sizes", edited(HW8, ("scale = np.sqrt(", "scale = ("), raises))
    [check] = [check for check in result.checks if check.check == "grouped_query_sizes"]
    assert check.reason.startswith("`grouped_query_attention` raised ValueError")
    assert f"{SOME}Your scores are divided by D / H itself." in check.reason
    assert check.misconceptions == ()


def test_numbers_in_a_mask_that_is_wrong_in_another_way_are_told_as_well(reason_of):
    inverted = ("return position[:, None] >= position", "return 1.0 * (position[:, None] < position)")
    told = reason_of(HW7, "causal_mask_published", inverted)
    assert told.startswith("Your causal mask is True where a key is hidden.")
    assert "its dtype is float64, but it should be boolean" in told


def test_lists_that_outlive_a_call_are_named_where_later_calls_raise(reason_of):
    told = reason_of(
        "hw9_positions_and_cache",
        "attend_one_step_sizes",
        ("def attend_one_step(", "KEYS, VALUES = [], []\n\n\ndef attend_one_step("),
        ("np.concatenate([cache_k, k_new[None]])", "np.array(KEYS.append(k_new) or KEYS)"),
        ("np.concatenate([cache_v, v_new[None]])", "np.array(VALUES.append(v_new) or VALUES)"),
    )
    assert told.startswith("`attend_one_step` answers the same call differently after other calls")


def test_keys_that_are_split_into_equal_parts_get_a_remedy(reason_of):
    told = reason_of(
        "hw9_positions_and_cache",
        "blockwise_attention_published",
        (
            "scale = np.sqrt(Q.shape[-1])\n    largest",
            "scale = np.sqrt(Q.shape[-1])\n    np.split(K, len(K) // block_size)\n    largest",
        ),
    )
    assert "`np.split` cuts into a number of equal parts" in told
