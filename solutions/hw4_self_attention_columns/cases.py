"""Input cases of hw4. N differs from D in most of them; the weights are square, as in the exercise.

The softmax cases of topic "scores" are the columns of scores behind the attention cases named `wide`: with
them a grader can tell a wrong softmax from wrong steps around it. Those named `square` have N = D, where
programs that look at sizes to decide what to transpose go wrong, and where a bias added along the wrong axis
raises no error: with them diagnosis knows this mistake from others that do.
"""

import numpy as np

from autograder.course import Case, FunctionCall

SEED_OF_TOKENS, SEED_OF_PARAMETERS = 3, 0
MATRIX_TASKS = ("self_attention", "scaled_dot_product_self_attention")


def published():
    """The exercise's example: 3 tokens of dimension 4; its softmax was given lists of scores."""
    drawn = np.random.RandomState(SEED_OF_TOKENS)
    X = np.hstack([drawn.normal(size=(4, 1)) for _ in range(3)])
    parameters = _parameters(np.random.RandomState(SEED_OF_PARAMETERS), 4)
    for n, scores in enumerate(_scores(X, parameters).T):
        yield Case(f"softmax/token-{n}", FunctionCall("softmax", (scores.tolist(),)))
    yield from _attention("seeds-3-and-0", X, parameters)


def public(rng):
    yield from _sized(rng, "small", D=2, N=5)
    yield _large_case("times-1000", rng.normal(size=4) * 1000)
    yield _large_case("minus-1000", rng.normal(size=7) - 1000)


def hidden(rng):
    X, parameters = yield from _sized(rng, "wide", D=5, N=4)
    yield from _columns_of_scores(X, parameters)
    yield from _sized(rng, "many-tokens", D=4, N=7)
    yield from _large(rng, N=6)
    yield from _square(rng, D=3)


def fresh(rng):
    yield from _sized(rng, "drawn", D=6, N=5)
    yield from _large(rng, N=5)


def _sized(rng, label, D, N):
    """Yield the cases of one size; return their tokens and parameters."""
    X = rng.normal(size=(D, N))
    parameters = _parameters(rng, D, spread=1 / np.sqrt(D), bias_spread=0.5)
    yield Case(f"softmax/{label}", FunctionCall("softmax", (rng.normal(size=N) * 2,)))
    yield from _attention(label, X, parameters)
    return X, parameters


def _square(rng, D):
    X = rng.normal(size=(D, D))
    parameters = _parameters(rng, D, spread=1 / np.sqrt(D), bias_spread=0.5)
    for task in MATRIX_TASKS:
        yield _case(task, "square", (X, *_as_called(parameters)))


def _parameters(drawn, D, spread=1.0, bias_spread=1.0):
    """Weights and biases in the exercise's order: query, key, value."""
    weights = [drawn.normal(size=(D, D)) * spread for _ in range(3)]
    biases = [drawn.normal(size=(D, 1)) * bias_spread for _ in range(3)]
    return (*weights, *biases)


def _attention(label, X, parameters):
    all_x = [X[:, [n]] for n in range(X.shape[1])]
    yield _case("self_attention_per_token", label, (all_x, *_as_called(parameters)))
    for task in MATRIX_TASKS:
        yield _case(task, label, (X, *_as_called(parameters)))


def _as_called(parameters):
    omega_q, omega_k, omega_v, beta_q, beta_k, beta_v = parameters
    return omega_v, omega_q, omega_k, beta_v, beta_q, beta_k


def _case(task, label, arguments):
    return Case(f"{task}/{label}", FunctionCall(task, arguments))


def _columns_of_scores(X, parameters):
    scores = _scores(X, parameters)
    for kind, divisor in (("unscaled", 1.0), ("scaled", np.sqrt(X.shape[0]))):
        for n, column in enumerate(scores.T / divisor):
            yield Case(
                f"softmax/{kind}-{n}", FunctionCall("softmax", (column,)), "scores"
            )


def _scores(X, parameters):
    """One column per query, one row per key."""
    omega_q, omega_k, _, beta_q, beta_k, _ = parameters
    return (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q)


def _large(rng, N):
    """Scores that differ by hundreds, and close ones so far from 0 that exp overflows or underflows."""
    scores = rng.normal(size=N)
    yield _large_case("times-30", scores * 30)
    yield _large_case("times-1000", scores * 1000)
    yield _large_case("plus-1000", scores + 1000)
    yield _large_case("minus-1000", scores - 1000)


def _large_case(label, scores):
    return Case(f"softmax/{label}", FunctionCall("softmax", (scores,)), "large")
