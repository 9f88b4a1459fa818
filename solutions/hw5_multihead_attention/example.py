"""The worked example of hw5: three tokens of dimension 4, one per column, and two heads of dimension 2."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
NAME = "multihead_scaled_self_attention"
X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 2.0, 0.0], [2.0, 0.0, 1.0]])
UPPER, LOWER = (
    np.eye(4)[:2],
    np.eye(4)[2:],
)  # what picks the first two entries of a token, and the others
NONE = np.zeros((2, 1))
HEADS = (
    (LOWER, UPPER, UPPER[::-1], NONE, NONE, NONE),
    (UPPER, LOWER, LOWER, NONE, NONE, NONE),
)
OMEGA_C = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [1.0, 0.0, -1.0, 0.0],
        [0.0, 1.0, 0.0, -1.0],
    ]
)
PARAMETERS = ("omega_v", "omega_q", "omega_k", "beta_v", "beta_q", "beta_k")


def example(reference):
    yield Matrix("X", X, "X, tokens", columns=TOKENS, decimals=0)
    for number, head in enumerate(HEADS, start=1):
        for name, numbers in zip(PARAMETERS, head, strict=True):
            yield Matrix(f"{name}{number}", numbers, decimals=0)
        yield _weights(reference, number, *head)
    yield Matrix("omega_c", OMEGA_C, decimals=0)
    heads = reference(FunctionCall(NAME, (X, *HEADS[0], *HEADS[1], np.eye(4))))
    yield Matrix("stacked", heads, "both heads, stacked", columns=TOKENS)
    output = reference(FunctionCall(NAME, (X, *HEADS[0], *HEADS[1], OMEGA_C)))
    yield Matrix("output", output, "recombined output", columns=TOKENS)
    yield from _published(reference)


def _weights(reference, number, omega_v, omega_q, omega_k, *biases):
    scores = (omega_k @ X).T @ (omega_q @ X) / np.sqrt(len(omega_q))
    weights = reference(FunctionCall("softmax_cols", (scores,)))
    return Matrix(
        f"weights{number}",
        weights,
        f"head {number}, weights",
        TOKENS,
        TOKENS,
        "key \\ query",
    )


def _published(reference):
    odds = np.rint(np.exp(reference.case("softmax_cols/odds").call.args[0])).astype(int)
    yield Matrix("odds", odds, decimals=0)
    yield Matrix("odds_sum", odds[:, 0].sum(), decimals=0)
    yield Matrix("odds_weights", reference.published("softmax_cols/odds"), decimals=3)
    output = reference.published(f"{NAME}/seeds-3-and-0")[[0, -1]]
    yield Matrix(
        "printed", output, "its first and last row", ("first", "last"), decimals=3
    )
    transposed = reference.mistaken(f"{NAME}/seeds-3-and-0", "weights-transposed")
    yield Matrix("transposed", transposed[0, 0], decimals=3)
