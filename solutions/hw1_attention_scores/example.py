"""The worked example of hw1: three tokens with keys of dimension 2, small enough for pencil and paper."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
PAIRS = {"rows": TOKENS, "columns": TOKENS, "corner": "query \\ key"}
Q = np.array(
    [
        [0.0, 1.0],
        [2.0, 1.0],
        [1.0, 0.0],
    ]
)
K = np.array(
    [
        [2.0, 0.0],
        [0.0, 1.0],
        [1.0, 2.0],
    ]
)
V = np.array(
    [
        [4.0, 0.0],
        [0.0, 2.0],
        [8.0, 6.0],
    ]
)


def example(reference):
    flow = FunctionCall("attention_flow", (Q, K, V))
    scores, scaled_scores, weights, output = reference(flow)
    yield whole_numbers("Q", Q, "Q, queries", TOKENS)
    yield whole_numbers("K", K, "K, keys", TOKENS)
    yield whole_numbers("V", V, "V, values", TOKENS)
    yield whole_numbers("scores", scores, "scores", **PAIRS)
    yield Matrix("scaled", scaled_scores, "scaled scores", **PAIRS)
    yield Matrix("weights", weights, "weights", **PAIRS)
    yield Matrix("output", output, "output", TOKENS)
    # To multiply with by hand, and get the output as it is printed.
    yield Matrix("by_hand", weights[1], decimals=3)
    exponentials = np.exp(scaled_scores[1])
    yield Matrix("exponentials", exponentials)
    yield Matrix("total", exponentials.sum())
    yield from _published(reference)


def _published(reference):
    """Yield the inputs of the published cases, and some of their results."""
    integers = reference.case("qk_scores/integers")
    Q_small, K_small = integers.call.args
    scores = reference.published("qk_scores/integers")
    yield whole_numbers("Q_small", Q_small)
    yield whole_numbers("K_small", K_small)
    yield whole_numbers("scores_check", scores)

    flow = reference.case("attention_flow/three-tokens")
    Q_flow, K_flow, V_flow = flow.call.args
    yield Matrix("Q_flow", Q_flow, decimals=1)
    yield Matrix("K_flow", K_flow, decimals=1)
    yield Matrix("V_flow", V_flow, decimals=1)
    _, _, weights, output = reference.published("attention_flow/three-tokens")
    yield Matrix("weights_flow", weights, "weights of attention_flow", decimals=4)
    yield Matrix("output_flow", output, "its output", decimals=4)

    mini = reference.case("attention_output/mini")
    attention_weights, _ = mini.call.args
    yield Matrix("attention_weights", attention_weights, decimals=1)
