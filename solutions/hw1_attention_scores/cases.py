"""Input cases of hw1. All sizes of a hidden case differ, for mistakes hide where two of them are equal.

The cases named `equal-sizes` are the exception: programs that look at sizes to decide what to transpose go
wrong there, and a mistake that mixes up two sizes returns numbers, which tell which mistake it is.
"""

import numpy as np

from autograder.course import Case, FunctionCall

TOKENS_Q = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
TOKENS_K = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
TOKENS_V = np.array([[1.0, 2.0, 3.0, 4.0], [0.5, 1.5, 2.5, 3.5], [2.0, 1.0, 4.0, 3.0]])
WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.1, 0.3, 0.6]])
SEED_OF_VALUES = 42


def published():
    integers = np.array([[1, 2, 3], [1, 2, 1]]), np.array([[1, 2, 1], [2, 1, 3]])
    scores = TOKENS_Q @ TOKENS_K.T
    yield Case("qk_scores/integers", FunctionCall("qk_scores", integers))
    yield Case("scale_scores/three-tokens", FunctionCall("scale_scores", (scores, 4)))
    yield Case("softmax/three-tokens", FunctionCall("softmax", (scores / 2,)))
    values = np.random.RandomState(SEED_OF_VALUES).randn(3, 64)
    yield Case(
        "attention_output/seed-42", FunctionCall("attention_output", (WEIGHTS, values))
    )
    yield Case(
        "attention_output/mini", FunctionCall("attention_output", (WEIGHTS, TOKENS_V))
    )
    flow = FunctionCall("attention_flow", (TOKENS_Q, TOKENS_K, TOKENS_V))
    yield Case("attention_flow/three-tokens", flow)


def public(rng):
    yield from _sized(rng, "small", n_q=4, n_k=5, d_k=6, d_v=2)
    yield _far_apart(rng, "times-1000", rng.normal(size=(2, 6)), "large")
    yield _wide_rows(rng.normal(size=(5, 2)))


def hidden(rng):
    yield from _sized(rng, "few-queries", n_q=3, n_k=7, d_k=5, d_v=4)
    yield from _sized(rng, "many-queries", n_q=8, n_k=4, d_k=6, d_v=3)
    yield from _large(rng, n_q=4, n_k=6)
    yield from _sized(rng, "equal-sizes", n_q=3, n_k=3, d_k=3, d_v=3)
    yield _far_apart(rng, "equal-sizes-times-1000", rng.normal(size=(3, 3)), "large")


def fresh(rng):
    yield from _sized(rng, "drawn", n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _large(rng, n_q=3, n_k=5)


def _sized(rng, label, n_q, n_k, d_k, d_v):
    Q, K = rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k))
    V = rng.normal(size=(n_k, d_v))
    scores = rng.normal(size=(n_q, n_k)) * 2
    weights = rng.dirichlet(np.ones(n_k), size=n_q)
    yield Case(f"qk_scores/{label}", FunctionCall("qk_scores", (Q, K)))
    yield Case(f"scale_scores/{label}", FunctionCall("scale_scores", (scores, d_k)))
    yield Case(f"softmax/{label}", FunctionCall("softmax", (scores,)))
    yield Case(
        f"attention_output/{label}", FunctionCall("attention_output", (weights, V))
    )
    yield Case(f"attention_flow/{label}", FunctionCall("attention_flow", (Q, K, V)))


def _large(rng, n_q, n_k):
    """Scores so large that exp overflows, and rows so far apart that one maximum for all underflows."""
    scores = rng.normal(size=(n_q, n_k))
    yield Case("softmax/times-30", FunctionCall("softmax", (scores * 30,)), "large")
    yield _wide_rows(scores)
    yield _far_apart(rng, "times-1000", scores, "large")


def _wide_rows(scores):
    """Here exp also overflows where a row's minimum or mean is subtracted in place of its maximum."""
    return Case("softmax/wide-rows", FunctionCall("softmax", (scores * 2000,)), "large")


def _far_apart(rng, label, scores, topic):
    offsets = rng.permutation(len(scores))[:, None] * 1000.0
    return Case(f"softmax/{label}", FunctionCall("softmax", (scores + offsets,)), topic)
