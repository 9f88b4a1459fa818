"""Input cases of hw1. All sizes of a hidden case differ, for mistakes hide where two of them are equal.

The cases named `equal-sizes` are the exception: programs that look at sizes to decide what to transpose go
wrong there, and a mistake that mixes up two sizes returns numbers, which tell which mistake it is.
"""

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    FAR,
    AttentionSizes,
    alternating,
    exact,
    queries_keys_values,
    repeat_second_row,
    rows_far_apart,
    rows_on_both_sides,
)

SCORES = "qk_scores"
SCALE = "scale_scores"
SOFTMAX = "softmax"
OUTPUT = "attention_output"
FLOW = "attention_flow"

LARGE = "large"
"""The topic of softmax cases in which exp overflows, or underflows, unless each row's maximum is subtracted."""
ZEROS = "zeros"
"""The topic of cases with a key of zeros, whose scores are 0 and count all the same."""
WHOLE = "whole"
"""The topic of cases in which all scores are whole numbers."""

INTEGERS_Q = np.array(
    [
        [1, 2, 3],
        [1, 2, 1],
    ]
)
INTEGERS_K = np.array(
    [
        [1, 2, 1],
        [2, 1, 3],
    ]
)
TOKENS_Q = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0, 0.0],
    ]
)
TOKENS_K = np.array(
    [
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0, 0.0],
        [1.0, 0.0, 1.0, 1.0],
    ]
)
TOKENS_V = np.array(
    [
        [1.0, 2.0, 3.0, 4.0],
        [0.5, 1.5, 2.5, 3.5],
        [2.0, 1.0, 4.0, 3.0],
    ]
)
WEIGHTS = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.3, 0.5, 0.2],
        [0.1, 0.3, 0.6],
    ]
)
SEED_OF_VALUES = 42


def published():
    """Yield the course notebook's examples; its scores and weights are inputs of the later steps."""
    yield function_case(SCORES, "integers", INTEGERS_Q, INTEGERS_K)

    scores = TOKENS_Q @ TOKENS_K.T
    yield function_case(SCALE, "three-tokens", scores, 4)
    yield function_case(SOFTMAX, "three-tokens", scores / 2)

    values_rng = np.random.RandomState(SEED_OF_VALUES)
    values = values_rng.randn(3, 64)
    yield function_case(OUTPUT, "seed-42", WEIGHTS, values)
    yield function_case(OUTPUT, "mini", WEIGHTS, TOKENS_V)

    yield function_case(FLOW, "three-tokens", TOKENS_Q, TOKENS_K, TOKENS_V)


def public(rng):
    small = AttentionSizes(n_q=4, n_k=5, d_k=6, d_v=2)
    yield from _sized(rng, "small", small)
    close_scores = rng.normal(size=(2, 6))
    yield _far_apart(rng, "times-1000", close_scores)
    scores = rng.normal(size=(5, 2))
    yield _wide_rows(scores)

    # The root of 14 becomes 3 where it is cut and 4 where it is rounded; that of 6 becomes 2 as in the example.
    wide_scores = rng.normal(size=(2, 3))
    yield function_case(SCALE, "wide-keys", wide_scores, 14)
    wide_keys = AttentionSizes(n_q=2, n_k=3, d_k=14, d_v=5)
    Q, K, V = queries_keys_values(rng, *wide_keys)
    yield function_case(FLOW, "wide-keys", Q, K, V)
    yield from _below(rng, n_q=3, n_k=7)

    # A squeeze loses the axis of a single query, or of a single feature.
    one_query = AttentionSizes(n_q=1, n_k=8, d_k=10, d_v=7)
    yield from _sized(rng, "one-query", one_query)
    one_feature = AttentionSizes(n_q=6, n_k=9, d_k=1, d_v=1)
    yield from _sized(rng, "one-feature", one_feature)
    repeated_key = AttentionSizes(n_q=5, n_k=7, d_k=3, d_v=4)
    yield from _repeated(rng, "repeated-key", repeated_key)
    whole = AttentionSizes(n_q=4, n_k=6, d_k=3, d_v=5)
    yield from _whole(rng, whole)
    one_key = AttentionSizes(n_q=7, n_k=1, d_k=4, d_v=6)
    yield from _single_key(rng, one_key)
    with_zeros = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=3)
    yield from _zeros(rng, with_zeros)
    yield from _whole_scores(rng, n_q=6, n_k=4, d_k=7)
    on_sides = AttentionSizes(n_q=5, n_k=7, d_k=3, d_v=4)
    yield _flow_on_sides(rng, on_sides)


def hidden(rng):
    # The root of 8 becomes 3 where it is rounded: in attention_flow, too, that is not the number 2 of the example.
    few_queries = AttentionSizes(n_q=3, n_k=7, d_k=8, d_v=4)
    yield from _sized(rng, "few-queries", few_queries)
    many_queries = AttentionSizes(n_q=8, n_k=4, d_k=6, d_v=3)
    yield from _sized(rng, "many-queries", many_queries)
    yield from _large(rng, n_q=4, n_k=6)
    equal_sizes = AttentionSizes(n_q=3, n_k=3, d_k=3, d_v=3)
    yield from _sized(rng, "equal-sizes", equal_sizes)
    square_scores = rng.normal(size=(3, 3))
    yield _far_apart(rng, "equal-sizes-times-1000", square_scores)
    yield from _below(rng, n_q=4, n_k=5)

    # A squeeze loses the axis of a single query, or of a single feature.
    one_query = AttentionSizes(n_q=1, n_k=5, d_k=7, d_v=3)
    yield from _sized(rng, "one-query", one_query)
    one_feature = AttentionSizes(n_q=3, n_k=6, d_k=1, d_v=1)
    yield from _sized(rng, "one-feature", one_feature)
    repeated_key = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=3)
    yield from _repeated(rng, "repeated-key", repeated_key)
    whole = AttentionSizes(n_q=5, n_k=3, d_k=4, d_v=7)
    yield from _whole(rng, whole)
    one_key = AttentionSizes(n_q=5, n_k=1, d_k=6, d_v=4)
    yield from _single_key(rng, one_key)
    with_zeros = AttentionSizes(n_q=3, n_k=5, d_k=4, d_v=7)
    yield from _zeros(rng, with_zeros)
    yield from _whole_scores(rng, n_q=4, n_k=7, d_k=5)
    on_sides = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=7)
    yield _flow_on_sides(rng, on_sides)


def fresh(rng):
    drawn = AttentionSizes(n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _sized(rng, "drawn", drawn)
    yield from _large(rng, n_q=3, n_k=5)


def _sized(rng, label, sizes):
    """Yield one case of each task, all of the same sizes."""
    n_q, n_k, _, _ = sizes
    Q, K, V = queries_keys_values(rng, *sizes)
    scores = 2 * rng.normal(size=(n_q, n_k))
    weights = _weights(rng, n_q, n_k)
    yield from _each_task(label, Q, K, V, scores, weights)


def _weights(rng, n_q, n_k):
    """Draw attention weights: the shares of a row sum to 1, and any shares are as likely as others."""
    any_shares = np.ones(n_k)
    return rng.dirichlet(any_shares, size=n_q)


def _large(rng, n_q, n_k):
    """Yield scores so large that exp overflows unless each row's own maximum is subtracted."""
    scores = rng.normal(size=(n_q, n_k))
    yield _large_case("times-30", scores * 30)
    yield _wide_rows(scores)
    yield _far_apart(rng, "times-1000", scores)


def _wide_rows(scores):
    """Rows in which exp also overflows where their minimum or mean is subtracted in place of the maximum."""
    return _large_case("wide-rows", scores * 2000)


def _far_apart(rng, label, scores):
    """Rows so far apart that exp underflows where the maximum of all rows is subtracted."""
    far_apart = rows_far_apart(rng, scores)
    return _large_case(label, far_apart)


def _below(rng, n_q, n_k):
    """Rows that lie thousands below 0, first all of them, and then every other one, next to rows far above.

    Exp underflows where the search for a maximum begins at 0, where the largest absolute value counts as it, and
    where scores are cut off from below.
    """
    scores = rng.normal(size=(n_q, n_k))
    yield _large_case("below", scores - FAR)
    on_both_sides = rows_on_both_sides(scores)
    yield _large_case("below-and-above", on_both_sides)


def _large_case(label, scores):
    return function_case(SOFTMAX, label, scores, topic=LARGE)


def _each_task(label, Q, K, V, scores, weights):
    d_k = K.shape[1]
    yield function_case(SCORES, label, Q, K)
    yield function_case(SCALE, label, scores, d_k)
    yield function_case(SOFTMAX, label, scores)
    yield function_case(OUTPUT, label, weights, V)
    yield function_case(FLOW, label, Q, K, V)


def _repeated(rng, label, sizes):
    """Yield a case of each task in which key 1 is the last one again, with another value.

    Code that finds keys or weights by their scores mixes these two up. Their scores lie midway between those of
    the keys beside them, so that they are never the largest of a row.
    """
    n_q, n_k, _, _ = sizes
    Q, K, V = queries_keys_values(rng, *sizes)
    Q = exact(Q)
    K = exact(K)
    repeat_second_row(K)
    scores = rng.normal(size=(n_q, n_k))
    scores = exact(scores)
    scores_by_key = scores.T
    repeat_second_row(scores_by_key)
    weights = _weights(rng, n_q, n_k)
    of_both_keys = weights[:, [1, -1]]
    weights[:, [1, -1]] = of_both_keys.mean(axis=1, keepdims=True)
    yield from _each_task(label, Q, K, V, scores, weights)


def _whole(rng, sizes):
    """Yield cases in which one argument holds whole numbers: an array of its type would cut off all decimals."""
    n_q, n_k, d_k, d_v = sizes
    Q = rng.normal(size=(n_q, d_k))
    K = rng.normal(size=(n_k, d_k))
    whole_Q = rng.integers(-3, 4, size=(n_q, d_k))
    whole_K = rng.integers(-3, 4, size=(n_k, d_k))
    whole_V = rng.integers(-9, 10, size=(n_k, d_v))
    weights = _weights(rng, n_q, n_k)
    yield function_case(SCORES, "whole-queries", whole_Q, K)
    yield function_case(SCORES, "whole-keys", Q, whole_K)
    yield function_case(OUTPUT, "whole-values", weights, whole_V)
    # A flow that divides Q in place stops where Q holds whole numbers, and has a check of its own.
    yield function_case(FLOW, "whole-values", Q, K, whole_V)


def _single_key(rng, sizes):
    """Yield a case of each task for a single key; for the output, weights that can only be 1 would tell nothing."""
    for case in _sized(rng, "one-key", sizes):
        if case.task != OUTPUT:
            yield case


def _zeros(rng, sizes):
    """Yield cases in which a key is the zero vector: a score of 0 is no sign of a mask or of a filling."""
    n_q, n_k, _, _ = sizes
    Q, K, V = queries_keys_values(rng, *sizes)
    K[2] = 0
    scores = 2 * rng.normal(size=(n_q, n_k))
    scores[:, 2] = 0
    yield function_case(SOFTMAX, "zero-key", scores, topic=ZEROS)
    yield function_case(FLOW, "zero-key", Q, K, V, topic=ZEROS)


def _whole_scores(rng, n_q, n_k, d_k):
    """Yield scores of queries and keys that hold whole numbers."""
    Q = rng.integers(-1, 2, size=(n_q, d_k))
    K = rng.integers(-1, 2, size=(n_k, d_k))
    scores = Q @ K.T
    yield function_case(SCALE, "whole-scores", scores, d_k, topic=WHOLE)
    yield function_case(SOFTMAX, "whole-scores", scores, topic=WHOLE)


def _flow_on_sides(rng, sizes):
    """Scores thousands above or below 0, those of a query a few units apart: an unstable softmax overflows."""
    Q, K, V = queries_keys_values(rng, *sizes)
    # Query and key have this number first, so that its square, scaled, is the score's height.
    height = np.sqrt(FAR * np.sqrt(sizes.d_k))
    Q[:, 0] = height * alternating(sizes.n_q)
    K[:, 0] = height
    return function_case(FLOW, "far-apart", Q, K, V, topic=LARGE)
