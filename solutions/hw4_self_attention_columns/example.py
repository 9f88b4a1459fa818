"""The worked example of hw4: three tokens of dimension 2, one per column."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS, EXCHANGED = ("cats", "chase", "mice"), ("mice", "chase", "cats")
ORDER = [2, 1, 0]
X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
OMEGA_V, OMEGA_Q, OMEGA_K = 2 * np.eye(2), np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]])
BETA_V, BETA_Q, BETA_K = np.zeros((2, 1)), np.array([[1.0], [0.0]]), np.zeros((2, 1))
PARAMETERS = (OMEGA_V, OMEGA_Q, OMEGA_K, BETA_V, BETA_Q, BETA_K)
NAMES = ("omega_v", "omega_q", "omega_k", "beta_v", "beta_q", "beta_k")
PRINTED = "seeds-3-and-0"


def example(reference):
    scores = (OMEGA_K @ X + BETA_K).T @ (OMEGA_Q @ X + BETA_Q)
    weights = np.stack(
        [reference(FunctionCall("softmax", (column,))) for column in scores.T], axis=1
    )
    pairs = {"rows": TOKENS, "columns": TOKENS, "corner": "key \\ query"}
    yield Matrix("X", X, "X, tokens", columns=TOKENS, decimals=0)
    for name, numbers in zip(NAMES, PARAMETERS, strict=True):
        yield Matrix(name, numbers, decimals=0)
    yield Matrix("scores", scores, "scores", decimals=0, **pairs)
    yield Matrix("weights", weights, "weights", **pairs)
    yield Matrix("e_squared", np.exp(scores[1, 0]))
    yield Matrix("scaled_score", scores[1, 0] / np.sqrt(len(X)))
    yield Matrix("Q", OMEGA_Q @ X + BETA_Q, decimals=0)
    yield Matrix("K", OMEGA_K @ X + BETA_K, decimals=0)
    yield Matrix("V", OMEGA_V @ X + BETA_V, "V, values", columns=TOKENS, decimals=0)
    yield from _outputs(reference)
    yield from _published(reference)


def _outputs(reference):
    for task, name in (
        ("self_attention", "output"),
        ("scaled_dot_product_self_attention", "scaled_output"),
    ):
        yield Matrix(
            name,
            reference(FunctionCall(task, (X, *PARAMETERS))),
            name.replace("_", " "),
            columns=TOKENS,
        )
    yield Matrix(
        "exchanged",
        X[:, ORDER],
        "X P, the tokens in another order",
        columns=EXCHANGED,
        decimals=0,
    )


def _published(reference):
    """The course notebook's example."""
    yield Matrix("first_weights", reference.published("softmax/token-0"), decimals=4)
    outputs = reference.published(f"self_attention/{PRINTED}")
    yield Matrix("outputs_printed", outputs, "unscaled outputs", decimals=5)
    scaled = reference.published(f"scaled_dot_product_self_attention/{PRINTED}")
    yield Matrix("scaled_printed", scaled, "scaled outputs", decimals=5)
