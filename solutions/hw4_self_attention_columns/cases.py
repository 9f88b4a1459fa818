"""Input cases of hw4. N differs from D in most of them; the weights are square, as in the exercise.

The softmax cases of topic "scores" are the columns of scores behind the attention cases named `wide`, and on
students' machines behind those named `steps`: they tell a wrong softmax from wrong steps around it. So do
those behind the cases with a repeated token, for a softmax that is wrong where scores are equal. The attention
cases named `square` have N = D, where programs that look at sizes to decide what to transpose go wrong, and where a
bias added along the wrong axis raises no error: with them diagnosis knows this mistake from others that do.
"""

from typing import NamedTuple

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    FAR,
    alternating,
    exact,
    repeat_second_row,
)

SOFTMAX = "softmax"
PER_TOKEN = "self_attention_per_token"
MATRIX = "self_attention"
SCALED = "scaled_dot_product_self_attention"

SCORES = "scores"
LARGE = "large"
ZEROS = "zeros"
"""The topic of attention cases with a key of zeros, whose scores are 0 and count all the same."""
WHOLE = "whole"
"""The topic of cases whose scores or tokens are whole numbers."""

SEED_OF_TOKENS = 3
SEED_OF_PARAMETERS = 0


class Parameters(NamedTuple):
    """The parameters of attention, in the order of the call."""

    omega_v: np.ndarray
    omega_q: np.ndarray
    omega_k: np.ndarray
    beta_v: np.ndarray
    beta_q: np.ndarray
    beta_k: np.ndarray


def published():
    """Yield the exercise's example: 3 tokens of dimension 4; its softmax was given lists of scores."""
    tokens_rng = np.random.RandomState(SEED_OF_TOKENS)
    columns = []
    for _ in range(3):
        column = tokens_rng.normal(size=(4, 1))
        columns.append(column)
    X = np.hstack(columns)
    parameters_rng = np.random.RandomState(SEED_OF_PARAMETERS)
    parameters = _parameters(parameters_rng, D=4)
    scores = _scores(X, parameters)
    for n, scores_of_query in enumerate(scores.T):
        label = f"token-{n}"
        list_of_scores = scores_of_query.tolist()
        yield function_case(SOFTMAX, label, list_of_scores)
    yield from _attention("seeds-3-and-0", X, parameters)


def public(rng):
    yield from _sized(rng, "small", D=2, N=5)
    far_apart = 1000 * rng.normal(size=4)
    yield _large_case("times-1000", far_apart)
    far_below_0 = rng.normal(size=7) - 1000
    yield _large_case("minus-1000", far_below_0)
    X, parameters = yield from _sized(
        rng,
        "steps",
        D=3,
        N=6,
    )
    yield from _columns_of_scores("steps-", X, parameters)
    # A squeeze loses the axis of a single token, or of a single dimension.
    yield from _sized(rng, "one-token", D=7, N=1)
    yield from _sized(rng, "one-dimension", D=1, N=8)
    yield from _repeated(rng, "a-repeated-token", D=3, N=5)
    whole_scores = np.array([2, 0, 3, -1, 0])
    yield function_case(SOFTMAX, "whole-numbers", whole_scores, topic=WHOLE)
    yield from _whole(rng, D=4, N=6)
    yield from _zeros(rng, D=5, N=7)
    yield from _on_sides(rng, D=3, N=4)
    yield _one_far_below(rng, N=5)


def hidden(rng):
    X, parameters = yield from _sized(
        rng,
        "wide",
        D=5,
        N=4,
    )
    yield from _columns_of_scores("", X, parameters)
    yield from _sized(rng, "many-tokens", D=4, N=7)
    yield from _large(rng, N=6)
    yield from _square(rng, D=3)
    # A squeeze loses the axis of a single token, or of a single dimension.
    yield from _sized(rng, "one-token", D=6, N=1)
    yield from _sized(rng, "one-dimension", D=1, N=9)
    yield from _repeated(rng, "repeated-token", D=4, N=9)
    whole_scores = np.array([1, 0, -2, 3])
    yield function_case(SOFTMAX, "whole-numbers", whole_scores, topic=WHOLE)
    yield from _whole(rng, D=3, N=5)
    yield from _zeros(rng, D=4, N=6)
    yield from _on_sides(rng, D=5, N=7)
    yield _one_far_below(rng, N=8)


def fresh(rng):
    yield from _sized(rng, "drawn", D=6, N=5)
    yield from _large(rng, N=5)


def _sized(rng, label, D, N):
    """Yield one case of each task, all of the same sizes; return the tokens and the parameters."""
    X = rng.normal(size=(D, N))
    parameters = _small_parameters(rng, D)
    scores = 2 * rng.normal(size=N)
    yield function_case(SOFTMAX, label, scores)
    yield from _attention(label, X, parameters)
    return X, parameters


def _repeated(rng, label, D, N):
    """Yield one case of each task in which a token stands twice, and a third one has the same key.

    Code that finds tokens by their scores mixes them up. Their key lies midway between those of two other
    tokens, so that its score is never the largest of a query. Numbers are multiples of 1/128: sums of their
    products are exact, so that equal keys have equal scores everywhere.
    """
    X = rng.normal(size=(D, N))
    X = exact(X)
    small_parameters = _small_parameters(rng, D)
    parameters = Parameters(*map(exact, small_parameters))
    scores = 2 * rng.normal(size=N)
    tokens = X.T
    repeat_second_row(tokens)
    # The third one differs in the first dimension alone, which its key does not depend on.
    parameters.omega_k[:, 0] = 0
    X[1:, 3] = X[1:, 1]
    repeat_second_row(scores)
    yield function_case(SOFTMAX, label, scores)
    yield from _attention(label, X, parameters)
    yield from _columns_of_scores(f"{label}-", X, parameters)


def _whole(rng, D, N):
    """Yield cases of tokens that hold whole numbers: an array of their type would cut off all decimals."""
    X = rng.integers(-2, 3, size=(D, N))
    parameters = _small_parameters(rng, D)
    yield from _attention("whole-tokens", X, parameters, WHOLE)


def _zeros(rng, D, N):
    """Yield cases in which a token and its key are zero: a score of 0 is no sign of a mask or of a filling."""
    X = rng.normal(size=(D, N))
    parameters = _small_parameters(rng, D)
    X[:, 1] = 0
    parameters.beta_k[:] = 0
    yield from _attention("zero-token", X, parameters, ZEROS)


def _on_sides(rng, D, N):
    """Yield scores thousands above or below 0, those of a query a few units apart: unstable softmaxes overflow."""
    X = rng.normal(size=(D, N))
    parameters = _small_parameters(rng, D)
    height = np.sqrt(FAR / D)
    X[0] = 1
    X[1] = alternating(N)
    # What is drawn for queries counts beside the heights, and its sum moves none of them to the other side.
    for drawn in (parameters.omega_q, parameters.beta_q):
        centred = drawn - drawn.mean(axis=0)
        drawn[:] = height * centred
    parameters.omega_q[:, 1] = height
    parameters.omega_k[:] /= height
    parameters.omega_k[:, 0] = height
    yield from _attention("far-apart", X, parameters, LARGE)


def _square(rng, D):
    """Yield the cases in which there are as many tokens as dimensions."""
    X = rng.normal(size=(D, D))
    parameters = _small_parameters(rng, D)
    yield from _matrix_forms("square", X, parameters)


def _parameters(rng, D, spread=1.0, bias_spread=1.0):
    """Draw weights and biases in the exercise's order: q, k, v."""
    weights = rng.normal(size=(3, D, D))
    biases = rng.normal(size=(3, D, 1))
    omega_q, omega_k, omega_v = spread * weights
    beta_q, beta_k, beta_v = bias_spread * biases
    return Parameters(
        omega_v,
        omega_q,
        omega_k,
        beta_v,
        beta_q,
        beta_k,
    )


def _small_parameters(rng, D):
    """Draw parameters whose queries, keys and values have entries of about unit size."""
    spread = 1 / np.sqrt(D)
    return _parameters(rng, D, spread, bias_spread=0.5)


def _attention(label, X, parameters, topic="values"):
    """Yield a case of each attention task: with a list of columns, and with all tokens as a matrix."""
    N = X.shape[1]
    columns = np.hsplit(X, N)
    yield function_case(PER_TOKEN, label, columns, *parameters, topic=topic)
    yield from _matrix_forms(label, X, parameters, topic)


def _matrix_forms(label, X, parameters, topic="values"):
    yield function_case(MATRIX, label, X, *parameters, topic=topic)
    yield function_case(SCALED, label, X, *parameters, topic=topic)


def _columns_of_scores(prefix, X, parameters):
    """Yield the scores of each query, as both forms of attention hand them to the softmax."""
    scores = _scores(X, parameters)
    D = len(X)
    scaled_scores = scores / np.sqrt(D)
    unscaled_name = f"{prefix}unscaled"
    scaled_name = f"{prefix}scaled"
    yield from _columns(unscaled_name, scores)
    yield from _columns(scaled_name, scaled_scores)


def _columns(name, scores):
    """Yield a softmax case for the scores of each query."""
    for n, column in enumerate(scores.T):
        label = f"{name}-{n}"
        yield function_case(SOFTMAX, label, column, topic=SCORES)


def _scores(X, parameters):
    """Return one column per query, one row per key."""
    Q = parameters.omega_q @ X + parameters.beta_q
    K = parameters.omega_k @ X + parameters.beta_k
    return K.T @ Q


def _large(rng, N):
    """Yield scores that differ by hundreds, and close ones so far from 0 that exp overflows or underflows."""
    scores = rng.normal(size=N)
    yield _large_case("times-30", scores * 30)
    yield _large_case("times-1000", scores * 1000)
    yield _large_case("plus-1000", scores + 1000)
    yield _large_case("minus-1000", scores - 1000)


def _one_far_below(rng, N):
    """Return scores of which the largest without its sign is the least: with it subtracted, others overflow."""
    scores = 300 * rng.normal(size=N)
    scores[N // 2] = -2500
    return _large_case("one-far-below", scores)


def _large_case(label, scores):
    return function_case(SOFTMAX, label, scores, topic=LARGE)
