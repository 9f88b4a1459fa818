"""Input cases of hw5. D, N, the head dimension and the number of heads all differ in most of them.

The softmax_cols cases of topic "scores" are the two heads' scores behind the multi-head case named `wide`:
with them a grader can tell a wrong softmax from wrong steps around it. In the cases named `square` and
`as-many-tokens` N is the head dimension, where a bias added along the wrong axis raises no error, or D, where
tokens that are taken from the rows raise none: with them diagnosis knows these mistakes from others that
raise, and programs that look at sizes to decide what to transpose go wrong.
"""

import numpy as np

from autograder.course import Case, FunctionCall

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"

SCORES = "scores"
LARGE = "large"

HEADS = 2
SEED_OF_TOKENS = 3
SEED_OF_PARAMETERS = 0
ODDS = np.array([[1.0, 4.0], [2.0, 4.0], [5.0, 2.0]])


def published():
    """Yield the handout's columns, whose weights are their odds divided by the sum, and the exercise's example."""
    yield _case(SOFTMAX, "odds", np.log(ODDS))

    X = np.random.RandomState(SEED_OF_TOKENS).normal(size=(8, 6))
    drawn = np.random.RandomState(SEED_OF_PARAMETERS)
    heads = [_head(drawn, 8) for _ in range(HEADS)]
    omega_c = drawn.normal(size=(8, 8))
    yield _multihead("seeds-3-and-0", X, heads, omega_c)


def public(rng):
    yield from _sized(rng, "small", D=6, N=8)
    yield _large_case("times-1000", rng.normal(size=(5, 3)) * 1000)
    scores = rng.normal(size=(4, 7))
    offsets = rng.permutation(7) * 1000.0
    yield _large_case("plus-thousands", scores + offsets)


def hidden(rng):
    X, heads = yield from _sized(rng, "wide", D=6, N=5)
    for number, head in enumerate(heads, start=1):
        scores = _scaled_scores(X, *head)
        yield _case(SOFTMAX, f"head-{number}", scores, topic=SCORES)
    yield from _sized(rng, "many-dimensions", D=10, N=7)
    yield from _large(rng, rows=6, columns=4)
    yield _square(rng, "square", D=6, N=3)
    yield _square(rng, "as-many-tokens", D=4, N=4)
    yield _large_case("square-times-1000", rng.normal(size=(5, 5)) * 1000)


def fresh(rng):
    yield from _sized(rng, "drawn", D=14, N=5)
    yield from _large(rng, rows=5, columns=7)


def _sized(rng, label, D, N):
    """Yield the cases of one size; return the tokens and the heads' parameters."""
    X = rng.normal(size=(D, N))
    heads = [_small_head(rng, D) for _ in range(HEADS)]
    scores = rng.normal(size=(N + 2, N)) * 2
    omega_c = rng.normal(size=(D, D)) / np.sqrt(D)
    yield _case(SOFTMAX, label, scores)
    yield _multihead(label, X, heads, omega_c)
    return X, heads


def _square(rng, label, D, N):
    """Return a multi-head case whose number of tokens is another size as well."""
    heads = [_small_head(rng, D) for _ in range(HEADS)]
    X = rng.normal(size=(D, N))
    omega_c = rng.normal(size=(D, D)) / np.sqrt(D)
    return _multihead(label, X, heads, omega_c)


def _head(drawn, D, spread=1.0, bias_spread=1.0):
    """Draw one head's parameters in the exercise's order (q, k, v); return them in that of the call."""
    weights = [drawn.normal(size=(D // HEADS, D)) * spread for _ in range(3)]
    biases = [drawn.normal(size=(D // HEADS, 1)) * bias_spread for _ in range(3)]
    omega_q, omega_k, omega_v = weights
    beta_q, beta_k, beta_v = biases
    return omega_v, omega_q, omega_k, beta_v, beta_q, beta_k


def _small_head(rng, D):
    """Draw a head whose queries, keys and values have entries of about unit size."""
    return _head(rng, D, spread=1 / np.sqrt(D), bias_spread=0.5)


def _scaled_scores(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """Return one head's scores: one column per query, one row per key."""
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    return K.T @ Q / np.sqrt(len(omega_q))


def _multihead(label, X, heads, omega_c):
    first_head, second_head = heads
    return _case(MULTIHEAD, label, X, *first_head, *second_head, omega_c)


def _large(rng, rows, columns):
    """Yield scores that differ by hundreds, and columns so far apart that one maximum for all underflows."""
    scores = rng.normal(size=(rows, columns))
    offsets = rng.permutation(columns) * 1000.0
    yield _large_case("times-30", scores * 30)
    yield _large_case("times-1000", scores * 1000)
    yield _large_case("plus-thousands", scores + offsets)
    yield _large_case("minus-thousands", scores - 1000 - offsets)


def _large_case(label, scores):
    return _case(SOFTMAX, label, scores, topic=LARGE)


def _case(task, label, *arguments, topic="values"):
    return Case(f"{task}/{label}", FunctionCall(task, arguments), topic)
