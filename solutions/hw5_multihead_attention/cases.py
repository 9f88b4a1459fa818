"""Input cases of hw5. D, N, the head dimension and the number of heads all differ in most of them.

The softmax_cols cases of topic "scores" are the two heads' scores behind the multi-head case named `wide`:
with them a grader can tell a wrong softmax from wrong steps around it. In the cases named `square` and
`as-many-tokens` N is the head dimension, where a bias added along the wrong axis raises no error, or D, where
tokens that are taken from the rows raise none: with them diagnosis knows these mistakes from others that
raise, and programs that look at sizes to decide what to transpose go wrong.
"""

import numpy as np

from autograder.course import Case, FunctionCall

HEADS = 2
SEED_OF_TOKENS, SEED_OF_PARAMETERS = 3, 0
ODDS = np.array([[1.0, 4.0], [2.0, 4.0], [5.0, 2.0]])


def published():
    """The handout's columns, whose weights are their odds divided by the sum, and the exercise's example."""
    yield Case("softmax_cols/odds", FunctionCall("softmax_cols", (np.log(ODDS),)))
    X = np.random.RandomState(SEED_OF_TOKENS).normal(size=(8, 6))
    drawn = np.random.RandomState(SEED_OF_PARAMETERS)
    heads = [_head(drawn, 8) for _ in range(HEADS)]
    yield _multihead("seeds-3-and-0", X, heads, drawn.normal(size=(8, 8)))


def public(rng):
    yield from _sized(rng, "small", D=6, N=8)
    yield _large_case("times-1000", rng.normal(size=(5, 3)) * 1000)
    yield _large_case(
        "plus-thousands", rng.normal(size=(4, 7)) + rng.permutation(7) * 1000.0
    )


def hidden(rng):
    X, heads = yield from _sized(rng, "wide", D=6, N=5)
    for number, (_, omega_q, omega_k, _, beta_q, beta_k) in enumerate(heads, start=1):
        scores = (
            (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q) / np.sqrt(len(omega_q))
        )
        yield Case(
            f"softmax_cols/head-{number}",
            FunctionCall("softmax_cols", (scores,)),
            "scores",
        )
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
    heads = [
        _head(rng, D, spread=1 / np.sqrt(D), bias_spread=0.5) for _ in range(HEADS)
    ]
    scores = rng.normal(size=(N + 2, N)) * 2
    yield Case(f"softmax_cols/{label}", FunctionCall("softmax_cols", (scores,)))
    yield _multihead(label, X, heads, rng.normal(size=(D, D)) / np.sqrt(D))
    return X, heads


def _square(rng, label, D, N):
    heads = [
        _head(rng, D, spread=1 / np.sqrt(D), bias_spread=0.5) for _ in range(HEADS)
    ]
    X, omega_c = rng.normal(size=(D, N)), rng.normal(size=(D, D)) / np.sqrt(D)
    return _multihead(label, X, heads, omega_c)


def _head(drawn, D, spread=1.0, bias_spread=1.0):
    """One head's parameters, drawn in the exercise's order (q, k, v), returned in that of the call."""
    omega_q, omega_k, omega_v = (
        drawn.normal(size=(D // HEADS, D)) * spread for _ in range(3)
    )
    beta_q, beta_k, beta_v = (
        drawn.normal(size=(D // HEADS, 1)) * bias_spread for _ in range(3)
    )
    return omega_v, omega_q, omega_k, beta_v, beta_q, beta_k


def _multihead(label, X, heads, omega_c):
    name = "multihead_scaled_self_attention"
    return Case(
        f"{name}/{label}", FunctionCall(name, (X, *heads[0], *heads[1], omega_c))
    )


def _large(rng, rows, columns):
    """Scores that differ by hundreds, and columns so far apart that one maximum for all underflows."""
    scores = rng.normal(size=(rows, columns))
    offsets = rng.permutation(columns) * 1000.0
    yield _large_case("times-30", scores * 30)
    yield _large_case("times-1000", scores * 1000)
    yield _large_case("plus-thousands", scores + offsets)
    yield _large_case("minus-thousands", scores - 1000 - offsets)


def _large_case(label, scores):
    return Case(
        f"softmax_cols/{label}", FunctionCall("softmax_cols", (scores,)), "large"
    )
