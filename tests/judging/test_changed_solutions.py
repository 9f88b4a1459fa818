"""What is told of a solution in which one passage is changed: a cause that was proved, and no other."""

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from submissions import edited
from wording import to_students

from autograder.grading.grade import fixtures_for
from autograder.reasons.agreement import as_told, breaks_down
from autograder.reasons.dependencies import _is_by_design
from autograder.reasons.explain import Explainer
from autograder.reasons.probes import _can_be_changed
from autograder.reasons.signs import decimals_left
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.report import Answer, StudentError
from autograder.sandbox.request import Cell, Code
from autograder.verdict.failure import CheckFailed

from .asking import DOUBLE, TOTALS, failed

HW1 = "hw1_attention_scores"
HW5 = "hw5_multihead_attention"
SCALED = "return scores / np.sqrt(d_k)"
OUTPUT = "return attention_weights @ V"
SHARES = "exponentials = np.exp(x - largest)"


@pytest.fixture
def changed(grade_edited):
    """Grade the reference solution with lines at its top and one passage replaced."""
    imports = "import numpy as np\n"
    return lambda top, *edit: grade_edited(HW1, edit, (imports, f"{imports}\n{top}\n"))


def labels_of(result):
    return {check.check: check.misconceptions for check in failed(result)}


def reasons(result):
    return " ".join(check.reason for check in result.checks)


@pytest.mark.parametrize(
    "top",
    [
        "D_K = 4",
        "N, D_K = 3, 4",
        "D_K = np.int64(4)",
        "D_K, *_ = (4, 5)",
        "import os\nD_K = int('4')",
    ],
)
def test_a_size_from_outside_is_named(changed, top):
    result = changed(top, SCALED, "return scores / np.sqrt(D_K)")
    assert labels_of(result) == {
        "scale_scores_sizes": ("depends-on-global",),
        "attention_flow_sizes": ("depends-on-global",),
    }
    assert to_students["globals.reads-d_k-from-outside"] in reasons(result)
    assert "`np`" not in reasons(result)


def test_equal_results_are_not_put_down_to_a_harmless_constant_from_outside(changed):
    """Whether the result is that of the name from outside is not known here: both are told as facts."""
    result = changed("EPS = np.zeros(1)", SCALED, "return np.full((2, 2), 3.0) + EPS")
    assert labels_of(result)["scale_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.equal-results"] in reasons(result)


def test_a_size_that_a_helper_reads_is_named(changed):
    result = changed("D_K = 4\n\ndef root():\n    return D_K**0.5", SCALED, "return scores / root()")
    assert labels_of(result)["scale_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.reads-d_k-from-outside"] in reasons(result)


@pytest.mark.parametrize(
    ("top", "size"), [("Keys = np.ones((3, 4))", "Keys.shape[1]"), ("Keys = np.array(4)", "Keys")]
)
def test_an_array_outside_is_mentioned_but_not_blamed_for_nothing_is_proved(changed, top, size):
    result = changed(top, SCALED, f"return scores / np.sqrt({size})")
    assert labels_of(result)["scale_scores_sizes"] == ("hard-coded-size",)
    assert to_students["globals.right-for-the-published"] in reasons(result)


def test_the_reason_says_which_size_the_name_stands_for(changed):
    sentences = reasons(changed("D_K = 4", SCALED, "return scores / np.sqrt(D_K)"))
    assert to_students["globals.d_k-is-there"] in sentences
    sentences = reasons(changed("N = 3", OUTPUT, "return attention_weights[:, :N] @ V[:N]"))
    assert to_students["globals.n-is-there"] in sentences


def test_two_sizes_from_outside_are_both_named(changed):
    """Also where one of the failing inputs has a size that is right by chance."""
    result = changed("N, D = 2, 3", "return Q @ K.T", "return Q.reshape(N, D) @ K.T")
    assert labels_of(result)["qk_scores_sizes"] == ("depends-on-global",)
    assert to_students["globals.reads-d-and-n-from-outside"] in reasons(result)


def test_a_name_that_is_wrong_for_the_published_sizes_too_is_proved(changed):
    result = changed("D_K = 9", SCALED, "return scores / np.sqrt(D_K)")
    assert labels_of(result)["scale_scores_published"] == ("depends-on-global",)
    assert to_students["globals.reads-d_k-from-outside-2"] in reasons(result)


def test_a_whole_number_that_is_no_size_is_not_blamed(changed):
    """No size in its place makes the answers right, so that it stays with the factor."""
    result = changed("EXTRA = 3", SCALED, "return scores / np.sqrt(d_k) * (1 if d_k == 4 else EXTRA)")
    assert labels_of(result)["scale_scores_sizes"] == ("constant-factor",)
    assert to_students["globals.reads-extra-from-outside"] in reasons(result)


def test_the_name_is_told_before_the_mistake_that_fixes_a_size(changed):
    """Cutting at a number of keys is a known mistake; that the number comes from outside helps more."""
    outside = changed("N = 3", OUTPUT, "return attention_weights[:, :N] @ V[:N]")
    assert labels_of(outside)["attention_output_sizes"] == ("depends-on-global",)
    assert "`N`" in reasons(outside)
    inside = changed("", OUTPUT, "return attention_weights[:, :3] @ V[:3]")
    assert labels_of(inside)["attention_output_sizes"] == ("hard-coded-size",)


@pytest.mark.parametrize("top", ["ROOT = 2.0", "ROOT = np.sqrt(4)", "ROOT = True + 1.0"])
def test_a_constant_that_is_no_size_is_not_named(changed, top):
    result = changed(top, SCALED, "return scores / ROOT")
    assert labels_of(result)["scale_scores_sizes"] == ("hard-coded-size",)
    assert "ROOT" not in reasons(result)


def test_a_known_mistake_keeps_its_name_beside_an_array_from_outside(changed):
    result = changed("NOTHING = np.zeros(1)", SHARES, "exponentials = np.exp(x + NOTHING)")
    assert labels_of(result) == {"softmax_large": ("softmax-unstable",)}
    assert "NOTHING" not in reasons(result)


def test_a_known_mistake_keeps_its_name_beside_a_size_from_outside(changed):
    result = changed("N = 3", SCALED, "N + 1\n    return scores / d_k")
    assert labels_of(result)["scale_scores_sizes"] == ("scale-by-d",)
    assert "`N`" not in reasons(result)


def test_a_right_answer_may_read_what_it_likes(changed):
    result = changed("N = 3", SCALED, "print(N)\n    return scores / np.sqrt(d_k)")
    assert labels_of(result) == {}
    assert result.earned == result.points


def test_an_unknown_mistake_at_the_published_sizes_too_blames_no_name(changed):
    result = changed("N = 3", SCALED, "return scores / np.sqrt(d_k) + N")
    assert labels_of(result)["scale_scores_published"] == ("constant-offset",)
    assert labels_of(result)["scale_scores_sizes"] == ("constant-offset",)
    assert "from outside" not in reasons(result)


FLOW = "return scores, scaled_scores, attention_weights, attention_output(attention_weights, V)"
UNUSED = ("argument-unused",)


@pytest.fixture
def failed_with(grade_edited):
    """Grade hw1's solution with one passage replaced; return the checks that failed."""
    return lambda right, wrong: failed(grade_edited(HW1, (right, wrong)))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # the argument is used, though the next larger number changes nothing
        (SCALED, "return scores / (2.0 if d_k > 20 else 3.0)"),
        (OUTPUT, "return attention_weights @ np.sign(V)"),
        # what would depend on the argument is not returned
        (FLOW, "return scores, scaled_scores, attention_weights"),
        (FLOW, "return scores"),
        (FLOW, "return scores, scaled_scores, attention_weights, None"),
    ],
)
def test_an_argument_that_is_used_or_need_not_be_is_not_called_unused(failed_with, right, wrong):
    checks = failed_with(right, wrong)
    assert checks
    assert not [check for check in checks if UNUSED[0] in check.misconceptions]


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (OUTPUT, "return V + 1", "in `attention_weights`, though"),
        (OUTPUT, "return np.ones((3, 3))", "in `attention_weights` or `V`, though"),
        (OUTPUT, "return attention_weights[:, :-1] @ V[:-1] + 1", "in the last row of `V`, though"),
        (SCALED, "return 3 * scores + 1", "whatever `d_k` is"),
    ],
)
def test_an_argument_that_should_change_the_result_and_does_not_is_named(first_failed, right, wrong, says):
    check = first_failed(HW1, (right, wrong))
    assert check.misconceptions == UNUSED
    assert says in check.reason


LIKE_VALUES = """
    out = np.zeros((len(attention_weights), V.shape[1]), dtype=V.dtype)
    for weights_of_key, value in zip(attention_weights.T, V):
        out += np.outer(weights_of_key, value).astype(out.dtype)
    return out"""
FLAT = "out = attention_weights @ V\n    return out if len(out) > 1 else out[0]"


def test_an_array_that_takes_its_type_from_whole_numbers_is_blamed_on_their_argument(failed_with):
    checks = failed_with(OUTPUT, LIKE_VALUES)
    assert checks[0].check == "attention_output_sizes"
    assert checks[0].misconceptions == ("whole-numbers-kept",)
    assert checks[0].reason.startswith("Your results are wrong where `V` holds whole numbers, and right")


def test_a_mistake_besides_whole_numbers_is_not_blamed_on_their_type(failed_with):
    wrong = LIKE_VALUES.replace("return out", "return out + 1 / len(V)")
    checks = failed_with(OUTPUT, wrong)
    assert checks
    assert not any("whole-numbers-kept" in check.misconceptions for check in checks)


def test_a_single_row_without_its_axis_is_told_apart_from_a_squeeze_of_every_axis(failed_with):
    checks = failed_with(OUTPUT, FLAT)
    assert {check.misconceptions for check in checks} == {("axis-squeezed",)}
    assert checks[0].reason.startswith("Your numbers are right, but an axis is missing where it has length 1")


def test_a_single_row_without_its_axis_and_with_wrong_numbers_is_no_lost_axis(failed_with):
    checks = failed_with(OUTPUT, FLAT.replace("out[0]", "2 * out[0]"))
    assert checks
    assert not any(check.reason.startswith("Your numbers are right") for check in checks)


def test_what_stops_at_whole_numbers_in_place_has_the_reason_of_its_wrong_numbers(failed_with):
    published, *_ = failed_with(SCALED, "scores /= d_k\n    return scores")
    assert published.misconceptions == ("scale-by-d",)


def test_a_score_of_0_that_is_hidden_is_not_called_a_large_one(grade_edited):
    hidden = "weights = softmax(np.where(is_allowed & (scores != 0), scores, -np.inf))"
    checks = failed(
        grade_edited(
            "hw10_tiny_language_model", ("weights = softmax(np.where(is_allowed, scores, -np.inf))", hidden)
        )
    )
    reasons = [check.reason for check in checks if check.check == "causal_block_large"]
    assert len(reasons) == 1
    assert "large ones" not in reasons[0]


OF_ITS_OWN = (
    "powers = np.exp(scaled_scores)\n    attention_weights = powers / powers.sum(axis=-1, keepdims=True)"
)


def test_an_unstable_softmax_within_hides_no_known_mistake_beside_it(grade_edited):
    edits = (
        ("scale_scores(scores, K.shape[-1])", "scores / np.sqrt(V.shape[-1])"),
        ("attention_weights = softmax(scaled_scores)", OF_ITS_OWN),
    )
    sizes, *_ = failed(grade_edited(HW1, *edits))
    assert (sizes.check, sizes.misconceptions) == ("attention_flow_sizes", ("scale-by-d-v",))


def test_a_score_of_0_that_is_masked_is_told_with_the_step_that_hides_it(grade_edited):
    hidden = "scores = K.T @ Q\n    scores[scores == 0] = -1e9\n    return V @ softmax_cols(scores / scale)"
    multihead, *_ = failed(
        grade_edited(
            HW5,
            ("weights = softmax_cols(K.T @ Q / scale)\n    return V @ weights", hidden),
        )
    )
    assert multihead.check == "multihead_unchanged"
    assert "with every 0 in `data_in` hidden, as by a mask" in multihead.reason


def test_the_first_item_that_is_taken_for_all_is_named_by_its_argument(first_failed):
    check = first_failed(HW1, (OUTPUT, "return attention_weights[[0] * len(attention_weights)] @ V"))
    assert check.misconceptions == ("first-item-for-all",)
    assert check.reason.startswith("Your code takes the first item of `attention_weights` for all")


@pytest.mark.parametrize("has_reference", [True, False])
def test_what_the_reference_does_not_notice_either_is_no_fault(has_reference, suite_of, pool):
    suite = suite_of(HW1)
    code = Code("scores.py", {"scores.py": edited(HW1, (OUTPUT, "return V + 1"))})
    fixtures = fixtures_for(code, suite, pool)

    def ask_reference(calls):
        return [Answer(value=np.ones((2, 2)))] * len(calls)

    explainer = cast(Explainer, fixtures.compare.explain)
    explainer = replace(explainer, ask_reference=ask_reference if has_reference else None)
    compare = replace(fixtures.compare, explain=explainer)
    with pytest.raises(CheckFailed) as caught:
        compare(fixtures.cases.published("attention_output"))
    assert caught.value.failure.misconceptions == ()


def test_where_other_inputs_are_right_it_is_said_that_the_result_stays_the_same_for_wrong_ones(failed_with):
    wrong = f"if len(V) > 3:\n        return np.ones((len(attention_weights), V.shape[1])) / 3\n    {OUTPUT}"
    reasons = [check.reason for check in failed_with(OUTPUT, wrong) if check.misconceptions == UNUSED]
    assert reasons[0].startswith("Where it is wrong, your result stays the same whatever numbers")


def test_an_array_without_numbers_can_change_nothing():
    assert not _can_be_changed(np.zeros((0, 3)), is_part=False)
    assert not _can_be_changed([], is_part=False)
    assert _can_be_changed(np.zeros((2, 3)), is_part=True)


HW2 = "hw2_self_attention"
HW7 = "hw7_masked_attention"
HW8 = "hw8_batched_multihead_attention"


AXES_BY_NUMBER = ("np.swapaxes(K, -1, -2)", "np.transpose(K, (0, 2, 1))")
SCALED_IN_PLACE = (SCALED, "scores[...] = scores / np.sqrt(d_k)\n    return scores")


@pytest.fixture
def failed_tasks(grade_edited):
    """Grade a solution with passages replaced; return the checks that failed, by task."""

    def grade(homework_id, *edits):
        result = grade_edited(homework_id, *edits)
        return {check.task: failed(result, check.task) for check in failed(result)}

    return grade


def test_an_exception_in_another_tasks_function_has_the_reason_of_that_task(failed_tasks):
    checks = failed_tasks(HW7, AXES_BY_NUMBER)
    (own, *_), (callers, *_) = checks["masked_attention"], checks["cross_attention"]
    assert own.misconceptions == callers.misconceptions == ("axes-by-number",)
    assert callers.reason.startswith("`transpose(0, 2, 1)` suits an array of three axes only.")


def test_a_helper_that_changes_its_argument_is_named_where_a_later_task_calls_it(failed_tasks):
    checks = failed_tasks(HW1, SCALED_IN_PLACE)
    callers = checks["attention_flow"]
    assert callers[0].misconceptions == ("modifies-input",)
    assert callers[0].reason.startswith("Your `scale_scores` changes its argument in place")


def test_a_helper_that_changes_its_argument_is_not_blamed_for_another_mistake(failed_tasks):
    checks = failed_tasks(HW1, SCALED_IN_PLACE, (OUTPUT, "return -(attention_weights @ V)"))
    assert not any("`scale_scores`" in check.reason for check in checks["attention_flow"])


def test_a_mistake_is_told_without_reserve_in_the_checks_whose_results_it_explains(grade_up_to):
    averaged = (
        "    B, _, N, d = Q.shape\n"
        "    Q = Q.reshape(B, n_kv_heads, group, N, d).mean(axis=2)\n"
        "    if mask is not None:\n"
        "        mask = np.broadcast_to(mask, (B, n_heads, N, N))[:, ::group]\n"
        "    heads = np.repeat(attend(Q, K, V, mask), group, axis=1)\n"
        "    return merge_heads(heads) @ W_o\n"
    )
    repeated = "np.repeat(split_heads(X @ W_{}, n_kv_heads), group, axis=1)"
    merged = "\n    return merge_heads(attend(Q, K, V, mask)) @ W_o\n"
    text = edited(
        HW8,
        (repeated.format("k"), "split_heads(X @ W_k, n_kv_heads)"),
        (repeated.format("v") + merged, "split_heads(X @ W_v, n_kv_heads)\n" + averaged),
    )
    result = grade_up_to(HW8, "grouped_query_masks", text)
    reasons = {check.check: check for check in failed(result, "grouped_query_attention")}
    published = reasons["grouped_query_published"]
    assert published.misconceptions == ("queries-of-a-group-averaged",)
    assert published.reason.startswith("The query heads of a group are averaged before they attend.")
    assert "does not explain all" not in published.reason
    assert "It does not explain all of them." in reasons["grouped_query_masks"].reason


def test_only_what_stands_in_the_code_is_said_to_cut_gradients_off(failed_tasks):
    right = "    attention_weights = F.softmax(scores, dim=-1)"
    wrong = "    attention_weights = F.softmax(torch.tensor(scores.tolist(), dtype=scores.dtype), dim=-1)"
    (check,) = failed_tasks(HW2, (right, wrong))["self_attention_torch"]
    assert check.misconceptions == ("gradient-cut",)
    assert check.reason == (
        "The gradients of `W_q` and `W_k` are missing: something on the way cuts the computation off from "
        "them (`torch.tensor(…)`, `.tolist()`). A gradient does arrive at `W_v`: look at what comes in "
        "elsewhere."
    )


def test_what_might_be_done_is_left_out_where_the_cause_is_known(failed_tasks):
    (check, *_) = failed_tasks(HW7, AXES_BY_NUMBER)["masked_attention"]
    assert "raised ValueError at line" in check.reason
    assert "The array has 2 axes here" not in check.reason


def test_checks_that_fail_for_one_exception_have_one_cause(failed_tasks):
    checks = failed_tasks(HW7, AXES_BY_NUMBER)
    causes = {check.cause for check in (*checks["masked_attention"], *checks["cross_attention"])}
    assert len(causes) == 1


def test_a_wrong_task_that_an_unexplained_one_calls_is_named(failed_tasks):
    checks = failed_tasks(
        HW1, (SCALED, "return np.cbrt(scores) + np.arange(scores.size).reshape(scores.shape) ** 2")
    )
    assert checks["scale_scores"]
    assert (
        "`attention_flow` calls your `scale_scores`, whose own check fails"
        in checks["attention_flow"][0].reason
    )


MASKED = "        scores = np.where(mask, scores, -np.inf)\n"
PER_HEAD = (
    "        for b, h in np.ndindex(scores.shape[:2]):\n"
    "            scores[b, h] = np.where(mask[b, h], scores[b, h], -np.inf)\n"
)


def test_a_mask_that_is_indexed_before_it_is_broadcast_is_named(grade_edited):
    checks = failed(grade_edited(HW8, (MASKED, PER_HEAD)))
    assert {check.misconceptions for check in checks} == {("argument-not-broadcast",)}
    assert all(check.reason.startswith("It is right as soon as `mask` comes in its full") for check in checks)


def test_a_mask_that_is_wrong_in_its_full_shape_as_well_is_not_named(grade_edited):
    checks = failed(grade_edited(HW8, (MASKED, PER_HEAD.replace("mask[b, h]", "~mask[b, h]"))))
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


def test_a_mask_with_fewer_axes_than_indices_is_named(judge_text):
    check, *_ = failed(judge_text(HW7, edited(HW7) + INDEXED_PER_ROW, reasons=1))
    assert check.task == "masked_softmax"
    assert check.misconceptions == ("argument-not-broadcast",)
    assert "Give `mask` its full shape first, as `np.broadcast_to` does." in check.reason


HW5 = "hw5_multihead_attention"

LABEL = "depends-on-other-place"


def test_a_row_that_depends_on_another_token_is_told(first_failed):
    mixed = ("    return Q, K, V\n", "    return Q - Q.mean(axis=0), K, V\n")
    check = first_failed(HW2, mixed)
    assert (check.task, check.misconceptions) == ("project_qkv", (LABEL,))
    assert check.reason.startswith(
        "In `Q`, row 1 depends on row 0 of `X`, and should not. Of `X`, only row 1 should count there."
    )


def test_heads_that_mix_are_told_with_the_identity_in_place_of_the_last_projection(first_failed):
    mixed = (
        "    return omega_c @ np.vstack((head_1, head_2))",
        "    return omega_c @ np.vstack((head_1, head_2 + 0.3 * np.sin(head_1)))",
    )
    check = first_failed(HW5, mixed)
    assert (check.task, check.misconceptions) == ("multihead_scaled_self_attention", (LABEL,))
    assert check.reason.startswith("With the identity matrix for `omega_c`: In your result, row")


def test_nothing_is_said_of_a_result_whose_rows_depend_on_what_they_should(grade_edited):
    result = grade_edited(HW1, (OUTPUT, "return attention_weights**3 @ V**3"))
    checks = failed(result, "attention_output")
    assert checks
    assert not any(LABEL in check.misconceptions for check in checks)


def test_blocks_and_sides_of_the_diagonal_are_by_design_and_chance_is_not():
    blocks = np.kron(np.eye(2, dtype=bool), np.ones((3, 2), dtype=bool))
    one_block = np.tile([True, True, False, False], (5, 1))
    for depends in (np.eye(4, dtype=bool), blocks, one_block, np.tri(4, dtype=bool)):
        assert _is_by_design(depends)
    scattered = np.array([[True, False, True], [False, True, True], [True, True, False]])
    for depends in (scattered, np.ones((3, 3), dtype=bool), np.zeros((3, 3), dtype=bool)):
        assert not _is_by_design(depends)


@pytest.mark.parametrize(
    "wrong", ["return np.zeros((0, 3))", "return V + attention_weights.sum()", "return V[0] * 3"]
)
def test_results_of_another_shape_are_not_compared(grade_edited, wrong):
    result = grade_edited(HW1, (OUTPUT, wrong))
    assert failed(result)
    assert result.explanation_faults == ()


@pytest.fixture
def reason_of_sizes(reason_of):
    """Grade a function that returns its output in another way; say why its check of sizes fails."""
    return lambda new: reason_of(HW1, "attention_output_sizes", (f"    {OUTPUT}\n", new))


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("hidden = (1 - np.ones(len(V))) * -np.inf", "0 times infinity is NaN"),
        ("hidden = np.full(len(V), np.inf) - np.inf", "infinity minus infinity is NaN"),
        ("hidden = np.zeros(len(V)) / np.zeros(len(V))", "0 / 0 is NaN"),
    ],
)
def test_the_line_and_the_operation_are_named(reason_of_sizes, line, way):
    shares = "    return (attention_weights + hidden) @ (V * 3 + 1)\n"
    told = reason_of_sizes(f"    {line}\n{shares}")
    assert f"`{line}`" in told
    assert way in told


def test_nan_that_is_written_down_arises_in_no_operation(reason_of_sizes):
    assert "The first NaN" not in reason_of_sizes(f"    {OUTPUT} * np.nan\n")


def test_a_place_is_that_of_the_file_or_of_the_cell():
    of_file = StudentCode(Code("a.py", {"a.py": "x = 1\ny = 2"}))
    assert of_file.place_of("a.py", 2) == ("line 2", "y = 2")
    assert of_file.place_of("b.py", 2) == ("", "")
    assert of_file.place_of("a.py", 3) == ("", "")
    of_cells = StudentCode(Code("a.ipynb", cells=[Cell(1, "x = 1"), Cell(4, "y = 2\nz = 3")]))
    assert of_cells.place_of("cell 4", 2) == ("line 2 of cell 4", "z = 3")


HW3 = "hw3_scaled_dot_product_attention"
HW4 = "hw4_self_attention_columns"
SOFTMAX = "    return exponentials / total"


@pytest.fixture
def labels(grade_edited):
    """Grade hw1's solution with one passage replaced and lines at its top; return what it is called."""
    imports = "import numpy as np\n"

    def grade(right, wrong, top=""):
        checks = failed(grade_edited(HW1, (right, wrong), (imports, f"{imports}\n{top}\n")))
        return {label for check in checks for label in check.misconceptions} if checks else {"passed"}

    return grade


@pytest.fixture
def reasons_of(grade_edited):
    """Grade a solution with passages replaced; return the reasons of its failed checks, of a task or all."""

    def grade(homework_id, *edits, task=None):
        return [check.reason for check in failed(grade_edited(homework_id, *edits), task)]

    return grade


@pytest.mark.parametrize(
    "wrong",
    [
        "return np.trunc(attention_weights @ V * 1000) / 1000",
        "return [[float('%.3f' % one) for one in row] for row in attention_weights @ V]",
        "return (attention_weights @ V).astype(np.float32).round(2)",
    ],
)
def test_numbers_cut_off_or_formatted_count_as_rounded(labels, wrong):
    assert labels(OUTPUT, wrong) == {"rounds-result"}


@pytest.mark.parametrize(
    ("right", "wrong", "called"),
    [
        (OUTPUT, "return np.round(attention_weights @ V, 7)", "passed"),
        (OUTPUT, "return (attention_weights @ V).astype(np.float32)", "passed"),
        (SCALED, "return np.round(scores, 3)", "argument-unused"),
        (OUTPUT, "return np.round(attention_weights @ V * 1.01, 2)", ""),
        (OUTPUT, "return np.zeros((len(attention_weights), V.shape[1]))", "returns-zeros"),
        (SOFTMAX, "    return np.eye(x.shape[1])[x.argmax(axis=1)]", "hardmax"),
    ],
)
def test_right_answers_and_other_mistakes_do_not_count_as_rounded(labels, right, wrong, called):
    assert labels(right, wrong) == ({called} if called else set())


MIRRORS = """
def mirrored(Q, K):
    if len(K) == 1:
        return Q @ K.T
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(i + 1):
            scores[i, j] = scores[j, i] = Q[i] @ K[j]
    return scores
"""


def test_a_relation_is_told_though_a_hidden_case_raises(labels):
    assert "mirrored" in labels("return Q @ K.T", "return mirrored(Q, K)", top=MIRRORS)


def test_an_iterator_that_the_first_round_uses_up_is_told(first_failed):
    listed = "keys = [omega_k @ x + beta_k for x in all_x]"
    iterated = (listed, f"{listed}\n    values = iter(values)")
    check = first_failed(HW4, iterated, (", values, strict=True)", ", values)"))
    assert check.reason.startswith(
        "The first item of your result is right, and all later ones are the plain number 0"
    )


ONE_BUFFER = """
def filled(X, *weights):
    parts, buffer = [], np.zeros((len(X), weights[0].shape[1]))
    for W in weights:
        buffer[:] = X @ W
        parts.append(buffer)
    return tuple(parts)


"""


def test_parts_that_are_one_and_the_same_array_are_told(first_failed):
    filled = ("return Q, K, V", "return filled(X, W_q, W_k, W_v)")
    check = first_failed(HW2, filled, ("def project_qkv", f"{ONE_BUFFER}def project_qkv"))
    assert check.reason.startswith("`Q`, `K` and `V` hold the same numbers, and they should differ:")


def test_rows_that_are_all_the_same_come_before_rows_of_an_argument_that_do_not_show(labels):
    wrong = "    return np.array([[*(exponentials / total)[-1]]] * len(x))"
    assert labels(SOFTMAX, wrong) == {"all-alike"}


def test_an_array_with_a_right_number_of_decimals_need_not_be_the_right_one():
    right = np.array([0.123456, 0.654321])
    assert decimals_left(np.array([0.123, 0.654]), right) == 3
    assert decimals_left(np.array([0.125, 0.654]), right) is None
    assert decimals_left(np.zeros(2), right) is None
    assert decimals_left(np.array([8.01, 13.01]), np.array([8, 13])) is None
    assert decimals_left(np.array([-8.0, 6.0]), np.array([8, 6])) is None


def test_a_constant_or_a_choice_of_the_largest_is_not_called_rounded_to_whole_numbers():
    weights = np.array([[0.7, 0.1, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    assert decimals_left(np.ones(4), np.array([0.6, 0.7, 0.9, 1.2])) is None
    assert decimals_left(np.eye(3), weights) is None
    assert decimals_left(np.array([1, 2, 0, 5]), np.array([0.6, 2.3, -0.2, 4.7])) == 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [(SOFTMAX, "    return x"), (OUTPUT, "return V.copy()"), (OUTPUT, "return attention_weights.tolist()")],
)
def test_an_argument_that_comes_back_is_named(labels, right, wrong):
    assert "returns-argument" in labels(right, wrong)


@pytest.mark.parametrize(
    ("right", "wrong", "called"),
    [
        (SCALED, "return scores", "no-scaling"),
        (OUTPUT, "return attention_weights.T", "argument-unused"),
        (OUTPUT, "return V if len(V) > 3 else attention_weights", ""),
        (OUTPUT, "return V + 1", "argument-unused"),
    ],
)
def test_what_is_not_the_argument_in_every_case_is_not_called_so(labels, right, wrong, called):
    assert labels(right, wrong) == ({called} if called else set())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (OUTPUT, "return np.einsum('bqk,bkv->bqv', attention_weights, V)"),
        (OUTPUT, "b, q, k = attention_weights.shape\n    return attention_weights @ V"),
        (OUTPUT, "assert V.ndim == 3\n    return attention_weights @ V"),
        (OUTPUT, "return np.einsum('bqk,kv->bqv', attention_weights, V)"),
        (SOFTMAX, "    return exponentials / exponentials.sum(axis=2, keepdims=True)"),
    ],
)
def test_code_that_is_right_for_a_batch_is_told_so(labels, right, wrong):
    assert "batch-only" in labels(right, wrong) <= {"batch-only"}


@pytest.mark.parametrize(
    "wrong",
    [
        "return np.einsum('bqk,bkv->bkv', attention_weights, V)",
        "return attention_weights @ V.T",
        "raise ValueError('not yet')",
        "return attention_weights @ V[None].transpose(-1, -2)",
    ],
)
def test_code_that_a_batch_does_not_set_right_is_not_called_batch_only(labels, wrong):
    assert "batch-only" not in labels(OUTPUT, wrong)


def test_transposing_the_last_two_axes_is_right_for_a_matrix(labels):
    assert labels("return Q @ K.T", "return Q @ np.swapaxes(K, -2, -1)") == {"passed"}


@pytest.mark.parametrize(
    ("right", "wrong", "called"),
    [
        ("x.max(axis=-1, keepdims=True)", "x.mean(axis=-1, keepdims=True)", "softmax-unstable"),
        ("x.max(axis=-1, keepdims=True)", "x.min(axis=-1, keepdims=True)", "softmax-unstable"),
        ("x.max(axis=-1, keepdims=True)", "x.min()", "softmax-unstable"),
        ("x.max(axis=-1, keepdims=True)", "x.max()", "softmax-global-max"),
        (SOFTMAX, "    return exponentials / total * np.nan", ""),
        (SOFTMAX, "    return np.where(np.abs(x) > 50, 0.5, exponentials / total)", ""),
        (SOFTMAX, "    return exponentials / (total if np.abs(x).max() < 50 else None)", ""),
    ],
)
def test_numbers_that_break_down_only_where_scores_are_large_are_told_so(labels, right, wrong, called):
    assert labels(right, wrong) == ({called} if called else set())


@pytest.mark.parametrize(
    "wrong",
    ["np.nan_to_num(np.exp(x))", "np.exp(np.clip(x, -50, 50))", "np.exp(np.minimum(x, 50))"],
)
def test_scores_that_are_limited_are_told_what_to_subtract(reason_of, wrong):
    """A weight of 0 among right ones is no sign of a mask where only large scores are wrong."""
    told = reason_of(HW3, "softmax_large", ("np.exp(x - largest)", wrong))
    assert "need no limit and no replacement" in told
    assert "mask, a choice" not in told


def test_whole_numbers_in_place_of_small_right_ones_are_told_as_cut(grade_edited):
    """Sines and cosines without decimals are nearly all 0, as in rows that nobody filled."""
    whole = ("table = np.empty((n, d_model))", "table = np.empty((n, d_model), int)")
    result = grade_edited("hw9_positions_and_cache", whole)
    labels = {label for check in result.checks for label in check.misconceptions}
    assert labels == {"cut-to-integers"}


def test_no_softmax_is_blamed_in_a_homework_without_weights(grade):
    result = grade(f"{DOUBLE.replace('2 * x', 'np.where(abs(x) > 1e4, np.inf, 2 * x)')}{TOTALS}")
    [wrong] = failed(result)
    assert wrong.misconceptions == ("breaks-down-at-large-numbers",)
    assert "softmax" not in wrong.reason
    assert "quer" not in wrong.reason


@pytest.mark.parametrize(
    ("answer", "breaks"),
    [
        (Answer(error=StudentError("OverflowError")), True),
        (Answer(error=StudentError("ValueError")), False),
        (Answer(np.array([np.nan, 1.0])), True),
        (Answer((np.ones(2), np.array([np.inf]))), True),
        (Answer(np.ones(2)), False),
    ],
)
def test_an_overflow_of_plain_python_counts_as_the_nan_of_numpy(answer, breaks):
    assert breaks_down(answer) is breaks


def test_the_forms_of_a_mistake_have_one_name():
    assert as_told(("stale/key", "stale/value", "no-scaling")) == ("stale", "no-scaling")


def test_a_known_mistake_is_told_beside_the_batch_that_is_expected(labels):
    assert labels(SCALED, "return scores.transpose(0, 1, 2) / d_k") == {"batch-only", "scale-by-d"}


def test_a_part_that_is_right_is_not_called_transposed(grade_edited):
    """Right scores turned look like those of exchanged queries and keys."""
    flow = failed(grade_edited(HW1, (SCALED, "return scores.T / np.sqrt(d_k)")), "attention_flow")
    assert flow
    assert not [check for check in flow if "for the scores is transposed" in check.reason]
    assert not [check for check in flow if "query-key-swapped" in check.misconceptions]


def test_an_argument_that_comes_back_as_a_part_is_told_with_its_place(grade_edited):
    checks = failed(grade_edited(HW1, (FLOW, FLOW.replace("scores, sc", "K, sc"))))
    reasons = [check.reason for check in checks if "returns-argument" in check.misconceptions]
    assert reasons[0].startswith(
        "Your argument `K` comes back instead of the scores, with its numbers unchanged."
    )


def test_unexplained_numbers_are_told_beside_the_parts_that_are_right(first_failed):
    """Where two of four parts are right, the search is for the others."""
    odd = ("= softmax(scaled_scores)", "= softmax(scaled_scores) ** 1.5 + 0.1 * K[0, 0]")
    check = first_failed(HW1, odd)
    assert check.task == "attention_flow"
    assert check.reason.startswith(to_students["general.other-parts-are-right"])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # a list as a default value grows, and later calls raise
        (OUTPUT, "seen.append(attention_weights @ V)\n    return np.mean(seen, axis=0)"),
        # the same, where later calls only have other numbers
        (OUTPUT, "seen.append(V.sum())\n    return attention_weights @ V + sum(seen[:-1])"),
        # the result of the first call comes back
        (OUTPUT, "seen.append(attention_weights @ V)\n    return seen[0]"),
    ],
)
def test_results_that_depend_on_earlier_calls_are_told_so_before_any_size(grade_up_to, right, wrong):
    keeping = ("(attention_weights, V):", "(attention_weights, V, seen=[]):")
    result = grade_up_to(HW1, "attention_output_sizes", edited(HW1, keeping, (right, wrong)))
    [check] = [check for check in result.checks if check.check == "attention_output_sizes"]
    assert check.misconceptions == ("differs-from-call-to-call",)
    assert to_students["general.depends-on-earlier-calls"] in check.reason


KEPT_ANGLES = (
    ("def apply_rope", "ANGLES = {}\n\n\ndef apply_rope"),
    ("angles = positions[:, None]", "angles = ANGLES.setdefault(x.shape, positions[:, None]"),
    ("(0, d, 2) / d)\n    a =", "(0, d, 2) / d))\n    a ="),
)


def test_a_table_that_is_kept_with_another_base_is_not_called_code_without_a_base(grade_up_to):
    """The numbers are those of 10000 as a base, and a call by itself is right."""
    hw9 = "hw9_positions_and_cache"
    result = grade_up_to(hw9, "apply_rope_base", edited(hw9, *KEPT_ANGLES))
    [check] = [check for check in result.checks if check.check == "apply_rope_base"]
    assert check.misconceptions == ("differs-from-call-to-call",)
    assert to_students["general.depends-on-earlier-calls"] in check.reason


def test_the_line_that_draws_random_numbers_is_named(grade_up_to):
    noise = "0.1 * np.random.default_rng().random(V.shape)"
    result = grade_up_to(
        HW1, "attention_output_sizes", edited(HW1, (OUTPUT, f"return attention_weights @ (V + {noise})"))
    )
    [check] = [check for check in result.checks if check.check == "attention_output_sizes"]
    assert check.misconceptions == ("differs-from-call-to-call",)
    assert "With one change in line" in check.reason
    assert f"in `{noise}`?" in check.reason


def test_random_numbers_are_not_called_a_memory_of_earlier_calls(reasons_of):
    noise = "return attention_weights @ V + np.random.default_rng().normal() * (len(V) != 3)"
    assert to_students["general.depends-on-earlier-calls"] not in " ".join(reasons_of(HW1, (OUTPUT, noise)))


def test_another_shape_where_scores_are_large_is_not_put_down_to_the_softmax(reasons_of):
    right = "np.exp(x - largest)"
    reasons = " ".join(reasons_of(HW3, (right, f"{right}.repeat(1 + (np.abs(x).max() > 99), axis=1)")))
    assert "shape" in reasons
    assert "need no limit and no replacement" not in reasons


HW9 = "hw9_positions_and_cache"
HW10 = "hw10_tiny_language_model"


def test_rows_in_another_order_are_told_with_the_first_that_is_at_another_place(first_failed):
    before_the_last = "np.insert(cache_{}, max(len(cache_k) - 1, 0), {}, axis=0)"
    check = first_failed(
        HW9,
        ("np.concatenate([cache_k, k_new[None]])", before_the_last.format("k", "k_new")),
        ("np.concatenate([cache_v, v_new[None]])", before_the_last.format("v", "v_new")),
    )
    assert check.misconceptions == ("rows-in-another-order",)
    assert "its row 1 is what row 2 should be" in check.reason


def test_an_exception_in_a_task_that_is_right_by_itself_is_put_down_to_its_caller(grade_edited):
    edit = ("Q @ np.swapaxes(K, -1, -2)", "np.tensordot(Q, K, axes=(-1, -1))")
    checks = failed(grade_edited(HW7, edit))
    raised = [check for check in checks if check.task == "masked_attention" and "raised" in check.reason]
    assert raised
    for check in raised:
        assert "your `masked_softmax` is right: look at what `masked_attention` gives it" in check.reason


def test_the_condition_that_chooses_places_is_asked_for(first_failed):
    wrong = "return inputs, np.where(np.arange(inputs.shape[1]) != 0, targets, 0)"
    check = first_failed(HW10, ("return inputs, targets", wrong))
    assert "In the targets only the first column is 0, which is wrong" in check.reason
    asked = "Does the condition `np.arange(inputs.shape[1]) != 0` choose other places than it should?"
    assert asked in check.reason


def test_a_batch_whose_numbers_a_reshape_puts_elsewhere_is_told_so(first_failed):
    wrong = (
        "def split_heads(X, n_heads):\n    B, N, D = X.shape\n"
        "    return np.array(np.split(X, n_heads, axis=-1)).reshape(B, n_heads, N, D // n_heads)\n\n\n"
        "def merge_heads("
    )
    check = first_failed(HW8, ("def merge_heads(", wrong))
    assert (check.task, check.misconceptions) == ("split_heads", ("rows-mix",))
    assert "Is a `reshape` meant to exchange axes?" in check.reason


def test_an_argument_that_always_has_the_same_axes_is_not_asked_to_be_broadcast(grade_text):
    """With more axes of its own, a size that is read from one of them may be right by chance."""
    wrong = (
        "    d_head = W_k.shape[1] // n_heads\n"
        "    Q = Q * np.sqrt(Q.shape[-1] / d_head)\n"
        "    return merge_heads(attend(Q, K, V, mask)) @ W_o\n    # END SOLUTION\n"
    )
    text = "    return merge_heads(attend(Q, K, V, mask)) @ W_o\n    # END SOLUTION\n"
    solution = edited(HW8)
    place = solution.rindex(text)
    checks = failed(grade_text(HW8, solution[:place] + wrong + solution[place + len(text) :]))
    assert checks
    assert not any("argument-not-broadcast" in check.misconceptions for check in checks)


def test_a_number_in_place_of_a_size_is_told(grade_edited):
    checks = failed(grade_edited(HW3, ("scale = np.sqrt(K.shape[-1])", "scale = np.sqrt(64)")))
    assert "multiplied by the square root of" in checks[0].reason
    assert "and divided by 8: is that number" in checks[0].reason
