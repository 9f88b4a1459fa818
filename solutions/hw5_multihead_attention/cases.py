"""Input cases of hw5. D, N, the head dimension and the number of heads all differ in most of them.

The softmax_cols cases of topic "scores" are the two heads' scores behind the multi-head case named `wide`,
and on students' machines behind the one named `small`: they tell a wrong softmax from wrong steps around it. So do
those behind the cases with a repeated token, for a softmax that is wrong where scores are equal.
They are square, so that a softmax along the other axis returns numbers: where all it does is raise, it looks like
code that expects a batch.
In the cases named `square` and `as-many-tokens` N is the head dimension, where a bias added along the wrong
axis raises no error, or D, where tokens that are taken from the rows raise none: with them diagnosis knows
these mistakes from others that raise, and programs that look at sizes to decide what to transpose go wrong.
"""

from typing import NamedTuple

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    FAR,
    alternating,
    exact,
    repeat_second_row,
    weight_matrix,
)

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"

SCORES = "scores"
LARGE = "large"
ZEROS = "zeros"
"""The topic of multi-head cases with a key of zeros, whose scores are 0 and count all the same."""
WHOLE = "whole"
"""The topic of cases whose scores or tokens are whole numbers."""

HEADS = 2
SEED_OF_TOKENS = 3
SEED_OF_PARAMETERS = 0
ODDS = np.array(
    [
        [1.0, 4.0],
        [2.0, 4.0],
        [5.0, 2.0],
    ]
)


class Head(NamedTuple):
    """The parameters of one head, in the order of the call."""

    omega_v: np.ndarray
    omega_q: np.ndarray
    omega_k: np.ndarray
    beta_v: np.ndarray
    beta_q: np.ndarray
    beta_k: np.ndarray


def published():
    """Yield the handout's columns, whose weights are their odds divided by the sum, and the exercise's example."""
    logarithms = np.log(ODDS)
    yield function_case(SOFTMAX, "odds", logarithms)

    tokens_rng = np.random.RandomState(SEED_OF_TOKENS)
    X = tokens_rng.normal(size=(8, 6))
    parameters_rng = np.random.RandomState(SEED_OF_PARAMETERS)
    head_1 = _head(parameters_rng, D=8)
    head_2 = _head(parameters_rng, D=8)
    omega_c = parameters_rng.normal(size=(8, 8))
    yield _multihead_case("seeds-3-and-0", X, head_1, head_2, omega_c)


def public(rng):
    X, head_1, head_2 = yield from _sized(
        rng,
        "small",
        D=6,
        N=8,
    )
    large_scores = rng.normal(size=(5, 3))
    yield _large_case("times-1000", 1000 * large_scores)
    scores = rng.normal(size=(4, 7))
    offsets = 1000.0 * rng.permutation(7)
    yield _large_case("plus-thousands", scores + offsets)
    yield from _scores_of_heads("small-", X, head_1, head_2)
    yield from _below(rng, rows=6, columns=3)
    # A squeeze loses the axis of a single token, or of heads with a single row.
    yield from _sized(rng, "one-token", D=10, N=1)
    yield from _sized(rng, "heads-of-one-row", D=2, N=9)
    yield from _repeated(rng, "a-repeated-token", D=6, N=10)
    yield from _whole(rng, D=4, N=5)
    yield _zeros(rng, D=6, N=7)
    yield _on_sides(rng, D=10, N=5)


def hidden(rng):
    X, head_1, head_2 = yield from _sized(
        rng,
        "wide",
        D=6,
        N=5,
    )
    yield from _scores_of_heads("", X, head_1, head_2)
    yield from _sized(rng, "many-dimensions", D=10, N=7)
    yield from _large(rng, rows=6, columns=4)
    yield _square(rng, "square", D=6, N=3)
    yield _square(rng, "as-many-tokens", D=4, N=4)
    square_scores = rng.normal(size=(5, 5))
    yield _large_case("square-times-1000", 1000 * square_scores)
    yield from _below(rng, rows=7, columns=4)
    # A squeeze loses the axis of a single token, or of heads with a single row.
    yield from _sized(rng, "one-token", D=8, N=1)
    yield from _sized(rng, "heads-of-one-row", D=2, N=4)
    yield from _repeated(rng, "repeated-token", D=8, N=6)
    yield from _whole(rng, D=6, N=4)
    yield _zeros(rng, D=10, N=5)
    yield _on_sides(rng, D=6, N=4)


def fresh(rng):
    yield from _sized(rng, "drawn", D=14, N=5)
    yield from _large(rng, rows=5, columns=7)


def _sized(rng, label, D, N):
    """Yield the cases of one size; return the tokens and both heads' parameters."""
    X = rng.normal(size=(D, N))
    head_1 = _small_head(rng, D)
    head_2 = _small_head(rng, D)
    rows = N + 2
    scores = 2 * rng.normal(size=(rows, N))
    omega_c = _small_mixing_weights(rng, D)
    yield function_case(SOFTMAX, label, scores)
    yield _multihead_case(label, X, head_1, head_2, omega_c)
    return X, head_1, head_2


def _repeated(rng, label, D, N):
    """Yield the cases of one size in which a token stands twice, and a third one has the same keys.

    Code that finds tokens by their scores mixes them up. Their keys lie midway between those of two other
    tokens, so that their scores are never the largest of a query. Numbers are multiples of 1/128: sums of their
    products are exact, so that equal keys have equal scores everywhere.
    """
    X = rng.normal(size=(D, N))
    X = exact(X)
    small_head_1 = _small_head(rng, D)
    small_head_2 = _small_head(rng, D)
    head_1 = Head(*map(exact, small_head_1))
    head_2 = Head(*map(exact, small_head_2))
    rows = N + 2
    scores = 2 * rng.normal(size=(rows, N))
    omega_c = _small_mixing_weights(rng, D)
    tokens = X.T
    repeat_second_row(tokens)
    # The third one differs in the first dimension alone, which its keys do not depend on.
    head_1.omega_k[:, 0] = 0
    head_2.omega_k[:, 0] = 0
    X[1:, 3] = X[1:, 1]
    repeat_second_row(scores)
    yield function_case(SOFTMAX, label, scores)
    yield _multihead_case(label, X, head_1, head_2, omega_c)
    yield from _scores_of_heads(f"{label}-", X, head_1, head_2)


def _whole(rng, D, N):
    """Yield scores and tokens of whole numbers: an array of their type would cut off all decimals."""
    rows = N + 2
    scores = rng.integers(-3, 4, size=(rows, N))
    X = rng.integers(-2, 3, size=(D, N))
    head_1 = _small_head(rng, D)
    head_2 = _small_head(rng, D)
    omega_c = _small_mixing_weights(rng, D)
    yield function_case(SOFTMAX, "whole-numbers", scores, topic=WHOLE)
    yield _multihead_case("whole-tokens", X, head_1, head_2, omega_c, WHOLE)


def _zeros(rng, D, N):
    """Return a case in which a token and its keys are zero: a score of 0 is no sign of a mask or of a filling."""
    X = rng.normal(size=(D, N))
    head_1 = _small_head(rng, D)
    head_2 = _small_head(rng, D)
    omega_c = _small_mixing_weights(rng, D)
    X[:, 1] = 0
    head_1.beta_k[:] = 0
    head_2.beta_k[:] = 0
    return _multihead_case("zero-token", X, head_1, head_2, omega_c, ZEROS)


def _on_sides(rng, D, N):
    """Scores thousands above or below 0, those of a query a few units apart: a softmax within a head overflows."""
    X = rng.normal(size=(D, N))
    head_1 = _small_head(rng, D)
    head_2 = _small_head(rng, D)
    omega_c = _small_mixing_weights(rng, D)
    X[0] = 1
    X[1] = alternating(N)
    H_D = D // HEADS
    height = np.sqrt(FAR / np.sqrt(H_D))
    for head in (head_1, head_2):
        # What is drawn for queries counts beside the heights, and its sum moves none of them to the other side.
        for drawn in (head.omega_q, head.beta_q):
            centred = drawn - drawn.mean(axis=0)
            drawn[:] = height * centred
        head.omega_q[:, 1] = height
        head.omega_k[:] /= height
        head.omega_k[:, 0] = height
    return _multihead_case("far-apart", X, head_1, head_2, omega_c, LARGE)


def _square(rng, label, D, N):
    """Return a multi-head case whose number of tokens is another size as well."""
    head_1 = _small_head(rng, D)
    head_2 = _small_head(rng, D)
    X = rng.normal(size=(D, N))
    omega_c = _small_mixing_weights(rng, D)
    return _multihead_case(label, X, head_1, head_2, omega_c)


def _head(rng, D, spread=1.0, bias_spread=1.0):
    """Draw one head's parameters in the exercise's order: q, k, v."""
    H_D = D // HEADS
    weights = rng.normal(size=(3, H_D, D))
    biases = rng.normal(size=(3, H_D, 1))
    omega_q, omega_k, omega_v = spread * weights
    beta_q, beta_k, beta_v = bias_spread * biases
    return Head(
        omega_v,
        omega_q,
        omega_k,
        beta_v,
        beta_q,
        beta_k,
    )


def _small_head(rng, D):
    """Draw a head whose queries, keys and values have entries of about unit size."""
    spread = 1 / np.sqrt(D)
    return _head(rng, D, spread, bias_spread=0.5)


def _small_mixing_weights(rng, D):
    """Draw omega_c; the outputs have entries of about unit size."""
    return weight_matrix(rng, D, D)


def _scores_of_heads(prefix, X, head_1, head_2):
    """Yield the scores of each head, as multi-head attention hands them to the softmax."""
    scores_1 = _scaled_scores(X, head_1)
    scores_2 = _scaled_scores(X, head_2)
    label_1 = f"{prefix}head-1"
    label_2 = f"{prefix}head-2"
    yield function_case(SOFTMAX, label_1, scores_1, topic=SCORES)
    yield function_case(SOFTMAX, label_2, scores_2, topic=SCORES)


def _scaled_scores(X, head):
    """Return one head's scores: one column per query, one row per key."""
    Q = head.omega_q @ X + head.beta_q
    K = head.omega_k @ X + head.beta_k
    H_D = len(Q)
    scores = K.T @ Q
    return scores / np.sqrt(H_D)


def _large(rng, rows, columns):
    """Yield scores that differ by hundreds, and columns so far apart that one maximum for all underflows."""
    scores = rng.normal(size=(rows, columns))
    offsets = 1000.0 * rng.permutation(columns)
    yield _large_case("times-30", scores * 30)
    yield _large_case("times-1000", scores * 1000)
    yield _large_case("plus-thousands", scores + offsets)
    far_below_0 = scores - 1000 - offsets
    yield _large_case("minus-thousands", far_below_0)


def _below(rng, rows, columns):
    """Yield columns thousands below 0: first all of them, and then every other one, next to some far above.

    Exp underflows where the search for a maximum begins at 0, where the largest absolute value counts as it, and
    where scores are cut off from below.
    """
    scores = rng.normal(size=(rows, columns))
    heights = -FAR * alternating(columns)
    yield _large_case("below", scores - FAR)
    yield _large_case("below-and-above", scores + heights)


def _multihead_case(label, X, head_1, head_2, omega_c, topic="values"):
    return function_case(
        MULTIHEAD,
        label,
        X,
        *head_1,
        *head_2,
        omega_c,
        topic=topic,
    )


def _large_case(label, scores):
    return function_case(SOFTMAX, label, scores, topic=LARGE)
