"""What answers show by themselves is told where it is true, and never of right answers or other mistakes."""

import numpy as np
import pytest
from wording import to_students

from autograder.reasons.agreement import as_told, breaks_down
from autograder.reasons.signs import decimals_left
from autograder.sandbox.report import Answer, StudentError

from .asking import DOUBLE, TOTALS, failed, reason

HW1, HW3 = "hw1_attention_scores", "hw3_scaled_dot_product_attention"
HW2, HW4 = "hw2_self_attention", "hw4_self_attention_columns"
SCALED = "return scores / np.sqrt(d_k)"
SOFTMAX = "    return exponentials / total"
OUTPUT = "return attention_weights @ V"
FLOW = "return scores, scaled_scores, attention_weights, attention_output(attention_weights, V)"


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
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(i + 1):
            scores[i, j] = scores[j, i] = Q[i] @ K[j]
    return scores
"""


def test_a_relation_is_told_though_a_hidden_case_raises(labels):
    assert "mirrored" in labels("return Q @ K.T", "return mirrored(Q, K)", top=MIRRORS)


def test_an_iterator_that_the_first_round_uses_up_is_told(reasons_of):
    listed = "keys = [omega_k @ x + beta_k for x in all_x]"
    iterated = (listed, f"{listed}\n    values = iter(values)")
    reasons = reasons_of(HW4, iterated, (", values, strict=True)", ", values)"))
    assert reasons[0].startswith(
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


def test_parts_that_are_one_and_the_same_array_are_told(reasons_of):
    filled = ("return Q, K, V", "return filled(X, W_q, W_k, W_v)")
    reasons = reasons_of(HW2, filled, ("def project_qkv", f"{ONE_BUFFER}def project_qkv"))
    assert reasons[0].startswith("`Q`, `K` and `V` hold the same numbers, and they should differ:")


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
def test_scores_that_are_limited_are_told_what_to_subtract(grade_edited, wrong):
    """A weight of 0 among right ones is no sign of a mask where only large scores are wrong."""
    told = reason(grade_edited(HW3, ("np.exp(x - largest)", wrong)), "softmax_large")
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


def test_unexplained_numbers_are_told_beside_the_parts_that_are_right(reasons_of):
    """Where two of four parts are right, the search is for the others."""
    odd = ("= softmax(scaled_scores)", "= softmax(scaled_scores) ** 1.5 + 0.1 * K[0, 0]")
    reasons = reasons_of(HW1, odd, task="attention_flow")
    assert reasons[0].startswith(to_students["general.other-parts-are-right"])


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
def test_results_that_depend_on_earlier_calls_are_told_so_before_any_size(grade_edited, right, wrong):
    keeping = ("(attention_weights, V):", "(attention_weights, V, seen=[]):")
    result = grade_edited(HW1, keeping, (right, wrong))
    [check] = [check for check in result.checks if check.check == "attention_output_sizes"]
    assert check.misconceptions == ("differs-from-call-to-call",)
    assert to_students["general.depends-on-earlier-calls"] in check.reason


def test_random_numbers_are_not_called_a_memory_of_earlier_calls(reasons_of):
    noise = "return attention_weights @ V + np.random.default_rng().normal() * (len(V) != 3)"
    assert to_students["general.depends-on-earlier-calls"] not in " ".join(reasons_of(HW1, (OUTPUT, noise)))


def test_another_shape_where_scores_are_large_is_not_put_down_to_the_softmax(reasons_of):
    right = "np.exp(x - largest)"
    reasons = " ".join(reasons_of(HW3, (right, f"{right}.repeat(1 + (np.abs(x).max() > 99), axis=1)")))
    assert "shape" in reasons
    assert "need no limit and no replacement" not in reasons
