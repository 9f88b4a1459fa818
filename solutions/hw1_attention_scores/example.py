"""The worked example of hw1: three tokens with keys of dimension 2, small enough for pencil and paper."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
Q = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0]])
K = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
V = np.array([[4.0, 0.0], [0.0, 2.0], [8.0, 6.0]])


def example(reference):
    scores, scaled, weights, output = reference(
        FunctionCall("attention_flow", (Q, K, V))
    )
    pairs = {"rows": TOKENS, "columns": TOKENS, "corner": "query \\ key"}
    for name, numbers, caption in (
        ("Q", Q, "queries"),
        ("K", K, "keys"),
        ("V", V, "values"),
    ):
        yield Matrix(name, numbers, f"{name}, {caption}", TOKENS, decimals=0)
    yield Matrix("scores", scores, "scores", decimals=0, **pairs)
    yield Matrix("scaled", scaled, "scaled scores", **pairs)
    yield Matrix("weights", weights, "weights", **pairs)
    yield Matrix("output", output, "output", TOKENS)
    yield Matrix(
        "by_hand", weights[1], decimals=3
    )  # to multiply with and get the output as it is printed
    exponentials = np.exp(scaled[1])
    yield Matrix("exponentials", exponentials)
    yield Matrix("total", exponentials.sum())
    yield from _published(reference)


def _published(reference):
    """The inputs of the published cases, and some of their results."""
    for name, numbers in zip(
        ("Q_small", "K_small"),
        reference.case("qk_scores/integers").call.args,
        strict=True,
    ):
        yield Matrix(name, numbers, decimals=0)
    yield Matrix("scores_check", reference.published("qk_scores/integers"), decimals=0)
    flow = reference.case("attention_flow/three-tokens").call.args
    for name, numbers in zip(("Q_flow", "K_flow", "V_flow"), flow, strict=True):
        yield Matrix(name, numbers, decimals=1)
    _, _, weights, output = reference.published("attention_flow/three-tokens")
    yield Matrix("weights_flow", weights, "weights of attention_flow", decimals=4)
    yield Matrix("output_flow", output, "its output", decimals=4)
    yield Matrix(
        "attention_weights",
        reference.case("attention_output/mini").call.args[0],
        decimals=1,
    )
