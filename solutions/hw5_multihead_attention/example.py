"""The worked example of hw5: three tokens of dimension 4, one per column, and two heads of dimension 2."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"
TOKENS = ("cats", "chase", "mice")

X = np.array(
    [
        [1.0, 0.0, 2.0],
        [0.0, 1.0, 1.0],
        [1.0, 2.0, 0.0],
        [2.0, 0.0, 1.0],
    ]
)
# What picks the first two entries of a token, and the other two.
UPPER = np.eye(4)[:2]
LOWER = np.eye(4)[2:]
NO_BIAS = np.zeros((2, 1))
PARAMETERS = ("omega_v", "omega_q", "omega_k", "beta_v", "beta_q", "beta_k")
UPPER_EXCHANGED = UPPER[::-1]
HEAD_1 = (LOWER, UPPER, UPPER_EXCHANGED, NO_BIAS, NO_BIAS, NO_BIAS)
HEAD_2 = (UPPER, LOWER, LOWER, NO_BIAS, NO_BIAS, NO_BIAS)
OMEGA_C = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [1.0, 0.0, -1.0, 0.0],
        [0.0, 1.0, 0.0, -1.0],
    ]
)


def example(reference):
    yield whole_numbers("X", X, "X, tokens", columns=TOKENS)
    yield from _head(reference, 1, HEAD_1)
    yield from _head(reference, 2, HEAD_2)
    yield whole_numbers("omega_c", OMEGA_C)
    # With the identity in place of omega_c, the heads are stacked and not mixed.
    identity = np.eye(4)
    stacking = FunctionCall(MULTIHEAD, (X, *HEAD_1, *HEAD_2, identity))
    mixing = FunctionCall(MULTIHEAD, (X, *HEAD_1, *HEAD_2, OMEGA_C))
    heads = reference(stacking)
    output = reference(mixing)
    yield Matrix("stacked", heads, "both heads, stacked", columns=TOKENS)
    yield Matrix("output", output, "recombined output", columns=TOKENS)
    yield from _published(reference)


def _head(reference, number, head):
    """Yield the parameters of a head, and its weights."""
    for name, numbers in zip(PARAMETERS, head, strict=True):
        yield whole_numbers(f"{name}{number}", numbers)
    _, omega_q, omega_k, *_ = head
    Q = omega_q @ X
    K = omega_k @ X
    H_D = len(omega_q)
    scaled_scores = K.T @ Q / np.sqrt(H_D)
    softmax = FunctionCall(SOFTMAX, (scaled_scores,))
    weights = reference(softmax)
    name = f"weights{number}"
    caption = f"head {number}, weights"
    yield Matrix(name, weights, caption, TOKENS, TOKENS, "key \\ query")


def _published(reference):
    case = reference.case(f"{SOFTMAX}/odds")
    (scores,) = case.call.args
    numbers = np.exp(scores)
    odds = np.rint(numbers).astype(int)
    odds_weights = reference.published(f"{SOFTMAX}/odds")
    yield whole_numbers("odds", odds)
    first_column = odds[:, 0]
    yield whole_numbers("odds_sum", first_column.sum())
    yield Matrix("odds_weights", odds_weights, decimals=3)

    output = reference.published(f"{MULTIHEAD}/seeds-3-and-0")
    rows = output[[0, -1]]
    caption = "its first and last row"
    yield Matrix("printed", rows, caption, ("first", "last"), decimals=3)
    transposed = reference.mistaken(f"{MULTIHEAD}/seeds-3-and-0", "weights-transposed")
    yield Matrix("transposed", transposed[0, 0], decimals=3)
