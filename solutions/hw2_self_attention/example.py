"""The worked example of hw2: three tokens of dimension 3, whose queries, keys and values have dimension 2."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
X = np.array(
    [
        [1.0, 0.0, 1.0],
        [0.0, 2.0, 1.0],
        [1.0, 1.0, 0.0],
    ]
)
W_Q = np.array(
    [
        [0.0, 1.0],
        [1.0, 0.0],
        [0.0, 1.0],
    ]
)
W_K = np.array(
    [
        [1.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
    ]
)
W_V = np.array(
    [
        [2.0, 0.0],
        [0.0, 1.0],
        [0.0, 2.0],
    ]
)


def example(reference):
    arguments = (X, W_Q, W_K, W_V)
    projection = FunctionCall("project_qkv", arguments)
    attention = FunctionCall("self_attention_numpy", arguments)
    Q, K, V = reference(projection)
    weights, output = reference(attention)
    yield whole_numbers("X", X, "X, embeddings", TOKENS)
    yield whole_numbers("W_q", W_Q)
    yield whole_numbers("W_k", W_K)
    yield whole_numbers("W_v", W_V)
    yield whole_numbers("Q", Q, "Q, queries", TOKENS)
    yield whole_numbers("K", K, "K, keys", TOKENS)
    yield whole_numbers("V", V, "V, values", TOKENS)
    yield Matrix("weights", weights, "weights", TOKENS, TOKENS, "query \\ key")
    yield Matrix("output", output, "output", TOKENS)
    # To multiply with by hand, and get the output as it is printed.
    yield Matrix("by_hand", weights[1], decimals=3)
    received = weights.sum(axis=0)
    first_feature = X[:, 0]
    d_model, d_k = W_K.shape
    yield Matrix("received", received)
    yield Matrix("gradient", received @ first_feature)
    yield whole_numbers("width", d_model)
    yield whole_numbers("d_k", d_k)
    yield from _published(reference)


def _published(reference):
    """Yield the course notebook's chain from its printed Q, K and V to its output."""
    case = reference.case("self_attention_numpy/printed-by-numpy")
    X_printed, *_ = case.call.args
    projection = FunctionCall("project_qkv", case.call.args)
    Q, K, V = reference(projection)
    weights, output = reference.published("self_attention_numpy/printed-by-numpy")
    yield Matrix("X_printed", X_printed, decimals=1)
    yield Matrix("Q_printed", Q, decimals=8)
    yield Matrix("K_printed", K, decimals=8)
    yield Matrix("V_printed", V, decimals=8)
    yield Matrix("weights_printed", weights, decimals=5)
    yield Matrix("output_printed", output, decimals=5)
