"""Input cases of hw3. All sizes of a hidden case differ, for mistakes hide where two of them are equal.

Each attention case has a softmax case of the same label on its own scaled scores: with it the grader can
tell a wrong softmax from a wrong use of it.

The cases named `equal-sizes` are the exception: programs that look at sizes to decide what to transpose go
wrong there, and a mistake that mixes up two sizes returns numbers, which tell which mistake it is.
"""

from dataclasses import replace

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

SOFTMAX = "softmax"
ATTENTION = "scaled_dot_product_attention"

LARGE = "large"
"""The topic of cases in which exp overflows, or underflows, unless each row's maximum is subtracted."""
ZEROS = "zeros"
"""The topic of attention cases with a key of zeros, whose scores are 0 and count all the same."""
SINGLE = "single"
"""The topic of attention cases with a single key, to which every query gives all of its weight."""

# Softmax of logarithms gives shares: ln 1, ln 3, ln 4 become 1/8, 3/8, 4/8.
COUNTS = np.array(
    [
        [1, 3, 4],
        [4, 1, 5],
    ]
)
SHARES_Q = np.array(
    [
        [2.0, 0.0, 0.0, 0.0],
        [0.0, 2.0, 0.0, 0.0],
    ]
)
SHARES_K = np.log(
    [
        [1, 4, 1, 1],
        [3, 1, 1, 1],
        [4, 5, 1, 1],
    ]
)
SHARES_V = np.array(
    [
        [8, 10],
        [16, 0],
        [0, 20],
    ]
)

WHOLE_SCORES = np.array(
    [
        [0, 1, 2],
        [3, 0, 0],
    ]
)

TOKENS_Q = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 2.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 1.0],
    ]
)
TOKENS_K = np.array(
    [
        [2.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0, 1.0],
    ]
)
# With these values the context vector is the weights themselves.
TOKENS_V = np.array(
    [
        [1, 0],
        [0, 1],
    ]
)


def published():
    logarithms = np.log(COUNTS)
    yield function_case(SOFTMAX, "shares", logarithms)
    yield function_case(SOFTMAX, "whole-numbers", WHOLE_SCORES)
    yield function_case(ATTENTION, "shares", SHARES_Q, SHARES_K, SHARES_V)
    yield function_case(ATTENTION, "three-queries", TOKENS_Q, TOKENS_K, TOKENS_V)


def public(rng):
    small = AttentionSizes(n_q=4, n_k=5, d_k=3, d_v=6)
    yield from _sized(rng, "small", small)
    close_scores = rng.normal(size=(3, 6))
    yield _far_apart(rng, "times-1000", close_scores)
    scores = rng.normal(size=(5, 4))
    yield _wide_rows(scores)
    yield from _below(rng, n_q=3, n_k=7)

    # A squeeze loses the axis of a single query, or of a single feature.
    single_query = AttentionSizes(n_q=1, n_k=8, d_k=5, d_v=7)
    yield from _sized(rng, "a-single-query", single_query)
    single_feature = AttentionSizes(n_q=6, n_k=9, d_k=1, d_v=1)
    yield from _sized(rng, "a-single-feature", single_feature)
    repeated_key = AttentionSizes(n_q=5, n_k=7, d_k=3, d_v=4)
    yield from _repeated(rng, "a-repeated-key", repeated_key)
    one_key = AttentionSizes(n_q=7, n_k=1, d_k=4, d_v=6)
    yield from _single_key(rng, "a-single-key", one_key)
    with_zeros = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=3)
    yield _zeros(rng, with_zeros)
    on_sides = AttentionSizes(n_q=5, n_k=7, d_k=3, d_v=4)
    yield _on_sides(rng, on_sides)
    more_queries = AttentionSizes(n_q=6, n_k=4, d_k=5, d_v=3)
    yield from _sized(rng, "more-queries", more_queries)


def hidden(rng):
    few_queries = AttentionSizes(n_q=3, n_k=7, d_k=5, d_v=4)
    yield from _sized(rng, "few-queries", few_queries)
    many_queries = AttentionSizes(n_q=8, n_k=4, d_k=3, d_v=6)
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
    one_key = AttentionSizes(n_q=5, n_k=1, d_k=6, d_v=4)
    yield from _single_key(rng, "one-key", one_key)
    with_zeros = AttentionSizes(n_q=3, n_k=5, d_k=4, d_v=7)
    yield _zeros(rng, with_zeros)
    on_sides = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=7)
    yield _on_sides(rng, on_sides)


def fresh(rng):
    drawn = AttentionSizes(n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _sized(rng, "drawn", drawn)
    yield from _large(rng, n_q=3, n_k=5)


def _sized(rng, label, sizes):
    """Yield an attention case, and the softmax case on its scaled scores before it."""
    Q, K, V = queries_keys_values(rng, *sizes, spread=2)
    yield from _attention(label, Q, K, V)


def _repeated(rng, label, sizes):
    """Yield both cases for keys of which number 1 is the last one again, with another value.

    Code that finds keys or weights by their scores mixes these two up. Their scores lie midway between those of
    the keys beside them, so that they are never the largest of a row.
    """
    Q, K, V = queries_keys_values(rng, *sizes)
    Q = 2 * exact(Q)
    K = exact(K)
    repeat_second_row(K)
    yield from _attention(label, Q, K, V)


def _single_key(rng, label, sizes):
    """Yield both cases for a single key."""
    softmax_case, attention_case = _sized(rng, label, sizes)
    yield softmax_case
    yield replace(attention_case, topic=SINGLE)


def _zeros(rng, sizes):
    """Return a case in which a key is the zero vector: a score of 0 is no sign of a mask or of a filling."""
    Q, K, V = queries_keys_values(rng, *sizes, spread=2)
    K[2] = 0
    return function_case(ATTENTION, "zero-key", Q, K, V, topic=ZEROS)


def _on_sides(rng, sizes):
    """Scores thousands above or below 0, those of a query a few units apart: a softmax of its own overflows."""
    Q, K, V = queries_keys_values(rng, *sizes)
    # Query and key have this number first, so that its square, scaled, is the score's height.
    height = np.sqrt(FAR * np.sqrt(sizes.d_k))
    Q[:, 0] = height * alternating(sizes.n_q)
    K[:, 0] = height
    return function_case(ATTENTION, "far-apart", Q, K, V, topic=LARGE)


def _attention(label, Q, K, V):
    scores = Q @ K.T
    d_k = K.shape[1]
    scaled_scores = scores / np.sqrt(d_k)
    yield function_case(SOFTMAX, label, scaled_scores)
    yield function_case(ATTENTION, label, Q, K, V)


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
