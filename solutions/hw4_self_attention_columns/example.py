"""The worked example of hw4: three tokens of dimension 2, one per column."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

SOFTMAX = "softmax"
MATRIX = "self_attention"
SCALED = "scaled_dot_product_self_attention"

TOKENS = ("cats", "chase", "mice")
PAIRS = {"rows": TOKENS, "columns": TOKENS, "corner": "key \\ query"}
ORDER = [2, 1, 0]
EXCHANGED = ("mice", "chase", "cats")

X = np.array(
    [
        [1.0, 0.0, 2.0],
        [0.0, 1.0, 1.0],
    ]
)
OMEGA_V = 2 * np.eye(2)
OMEGA_Q = np.eye(2)
OMEGA_K = np.array(
    [
        [0.0, 1.0],
        [1.0, 0.0],
    ]
)
BETA_V = np.zeros((2, 1))
BETA_Q = np.array(
    [
        [1.0],
        [0.0],
    ]
)
BETA_K = np.zeros((2, 1))
ARGUMENTS = (X, OMEGA_V, OMEGA_Q, OMEGA_K, BETA_V, BETA_Q, BETA_K)

PRINTED = "seeds-3-and-0"


def example(reference):
    Q = OMEGA_Q @ X + BETA_Q
    K = OMEGA_K @ X + BETA_K
    V = OMEGA_V @ X + BETA_V
    scores = K.T @ Q
    columns = []
    for scores_of_query in scores.T:
        softmax = FunctionCall(SOFTMAX, (scores_of_query,))
        columns.append(reference(softmax))
    weights = np.stack(columns, axis=1)

    yield whole_numbers("X", X, "X, tokens", columns=TOKENS)
    yield whole_numbers("omega_v", OMEGA_V)
    yield whole_numbers("omega_q", OMEGA_Q)
    yield whole_numbers("omega_k", OMEGA_K)
    yield whole_numbers("beta_v", BETA_V)
    yield whole_numbers("beta_q", BETA_Q)
    yield whole_numbers("beta_k", BETA_K)
    yield whole_numbers("scores", scores, "scores", **PAIRS)
    yield Matrix("weights", weights, "weights", **PAIRS)
    score = scores[1, 0]
    scaled_score = score / np.sqrt(len(X))
    yield Matrix("e_squared", np.exp(score))
    yield Matrix("scaled_score", scaled_score)
    yield whole_numbers("Q", Q)
    yield whole_numbers("K", K)
    yield whole_numbers("V", V, "V, values", columns=TOKENS)
    yield from _outputs(reference)
    yield from _published(reference)


def _outputs(reference):
    attention = FunctionCall(MATRIX, ARGUMENTS)
    scaled_attention = FunctionCall(SCALED, ARGUMENTS)
    output = reference(attention)
    scaled_output = reference(scaled_attention)
    yield Matrix("output", output, "output", columns=TOKENS)
    yield Matrix("scaled_output", scaled_output, "scaled output", columns=TOKENS)

    exchanged = X[:, ORDER]
    caption = "X P, the tokens in another order"
    yield whole_numbers("exchanged", exchanged, caption, columns=EXCHANGED)


def _published(reference):
    """Yield the course notebook's example."""
    weights = reference.published(f"{SOFTMAX}/token-0")
    outputs = reference.published(f"{MATRIX}/{PRINTED}")
    scaled_outputs = reference.published(f"{SCALED}/{PRINTED}")
    yield Matrix("first_weights", weights, decimals=4)
    yield Matrix("outputs_printed", outputs, "unscaled outputs", decimals=5)
    yield Matrix("scaled_printed", scaled_outputs, "scaled outputs", decimals=5)
