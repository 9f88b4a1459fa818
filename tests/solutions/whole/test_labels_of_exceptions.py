"""Where code raises at every size, the operation and the arrays that met tell which mistake it is, if any."""

import pytest

from autograder.course.course import find_course
from autograder.reasons.catalogue import read_catalogue
from autograder.verdict.checks import Outcome

HW4, HW5, HW7, HW8, HW9 = (
    "hw4_self_attention_columns",
    "hw5_multihead_attention",
    "hw7_masked_attention",
    "hw8_batched_multihead_attention",
    "hw9_positions_and_cache",
)
PROJECTED = "Q, K, V = X_q @ W_q, X_kv @ W_k, X_kv @ W_v"
SCORES = "Q @ np.swapaxes(K, -1, -2)"


def edited(homework_id, *edits):
    """The reference solution with other texts, in every place where each of them stands."""
    text = find_course().homework(homework_id).solution.read_text("utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def labels_of(result):
    return {label for check in result.checks for label in check.misconceptions}


@pytest.mark.parametrize(
    ("homework_id", "edits", "label"),
    [
        (HW4, [("omega_v @ X", "X @ omega_v"), ("return V @ weights", "return 3 * V")], "tokens-as-rows"),
        (HW4, [("omega_q @ X +", "np.dot(X, omega_q.T) -")], "tokens-as-rows"),
        (HW5, [("omega_q @ X", "np.einsum('ij,jk', X, omega_q)")], "tokens-as-rows"),
        (HW5, [("omega_k @ X", "np.matmul(omega_k.T, X)")], "projection-transposed"),
        (HW5, [("omega_q @ X", "X.T @ omega_q")], "tokens-as-rows"),
        (HW7, [(SCORES, "np.einsum('...ij,...jk->...ik', Q, K.T)")], "axes-reversed"),
        (HW7, [(PROJECTED, "tokens = np.transpose(X_kv)\n    Q = X_q @ tokens")], "not-projected"),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "np.matmul(Q, np.transpose(K))")], "axes-reversed"),
        (HW9, [("keys @ q", "np.dot(q, keys)")], "query-before-keys"),
        (HW9, [("Q @ K[block].T", "np.dot(Q, K[start : start + block_size])")], "block-not-transposed"),
    ],
)
def test_what_raises_at_every_size_is_named_in_other_styles(homework_id, edits, label, grade_text):
    result = grade_text(homework_id, edited(homework_id, *edits))
    assert any(check.outcome is Outcome.FAILED for check in result.checks)
    assert labels_of(result) == {label}


@pytest.mark.parametrize(
    ("homework_id", "edits"),
    [
        # D x D weights meet the values, or the tokens: shapes as in `X @ omega`
        (HW4, [("K.T @ Q", "K @ Q.T")]),
        (HW4, [("K.T @ Q", "K @ Q.T"), ("V @ weights", "X @ weights")]),
        (HW4, [("omega_q @ X", "omega_q @ X.T")]),
        (HW4, [("omega_q @ X", "omega_q @ (X + beta_q.T)")]),
        (HW4, [("V = omega_v", "X.reshape(2, 5, -1)\n    V = omega_v")]),
        (HW4, [("V = omega_v", "raise ValueError('X @ omega')\n    V = omega_v")]),
        (HW5, [("np.vstack((head_1", "np.hstack((head_1")]),
        (HW5, [("np.vstack((head_1, head_2))", "head_1")]),
        (HW5, [("K.T @ Q", "K @ Q")]),
        (HW5, [("omega_v @ X +", "X +")]),
        # right for a matrix, and raises for a batch, as `Q @ K.T` does
        (HW7, [(SCORES, "Q @ np.swapaxes(K, 0, -1)")]),
        (HW7, [("scores = Q", "n_q, d_k = Q.shape\n    scores = Q")]),
        (HW7, [("masked_softmax(scores, mask)", "masked_softmax(scores, mask.T.T.reshape(scores.shape))")]),
        (HW7, [(SCORES, "Q @ K")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q, X_kv @ W_k, X_kv @ W_v")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q @ W_q, X_kv, X_kv @ W_v")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q @ X_kv, X_kv @ W_k, X_kv @ W_v")]),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "Q @ K.swapaxes(0, -1)")]),
        (HW8, [("return weights @ V", "return weights @ V.T")]),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "Q.T @ K")]),
        (HW9, [("keys @ q", "q @ values")]),
        (HW9, [("Q @ K[block].T", "Q @ V[block]")]),
        (HW9, [("Q @ K[block].T", "Q @ K")]),
    ],
)
def test_what_raises_for_another_cause_is_not_called_by_its_name(homework_id, edits, grade_text):
    result = grade_text(homework_id, edited(homework_id, *edits))
    assert any(check.outcome is Outcome.FAILED for check in result.checks)
    by_exception = {
        "tokens-as-rows",
        "projection-transposed",
        "axes-reversed",
        "not-projected",
        "query-before-keys",
        "block-not-transposed",
    }
    assert labels_of(result) & by_exception == set()


@pytest.mark.parametrize("homework_id", [HW4, HW5, HW7, HW8, HW9])
def test_a_reason_from_exceptions_tells_no_hidden_size(homework_id):
    """What students read is the entry's sentence, which is the same for every case."""
    sentences = [
        mistake.says
        for mistake in read_catalogue(find_course().homework(homework_id))
        if mistake.by_exception
    ]
    assert sentences
    assert not [says for says in sentences if any(character.isdigit() for character in says)]
