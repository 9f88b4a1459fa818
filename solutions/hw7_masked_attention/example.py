"""The worked example of hw7: one row of scores for all queries, under three masks.

Scores are logarithms, so that weights are shares. The published cases are shown beside it.
"""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice", "–")
TOKEN_PAIRS = {"rows": TOKENS, "columns": TOKENS, "corner": "query \\ key"}
PARTS = np.array([[2, 2, 1, 5]] * 4)
SCORES = np.log(PARTS)
QUERIES = ("query 1", "query 2")
KEYS = ("key 1", "key 2", "key 3")


def example(reference):
    causal_call = FunctionCall("causal_mask", (4,))
    causal = reference(causal_call)
    # One sentence of three words; its mask has one row for all queries.
    lengths = np.array([3])
    padding_call = FunctionCall("padding_mask", (lengths, 4))
    (words,) = reference(padding_call)
    padding = np.broadcast_to(words, (4, 4))

    yield Matrix("scores", SCORES, code=("np.log", PARTS))
    yield Matrix("parts", PARTS[0], decimals=0)
    yield from _masked(reference, "causal", causal)
    yield from _masked(reference, "padding", padding)
    yield from _masked(reference, "both", causal & padding)
    yield from _published(reference)


def _masked(reference, name, mask):
    """Yield a mask, and the weights that it leaves."""
    softmax = FunctionCall("masked_softmax", (SCORES, mask))
    weights = reference(softmax)
    caption = f"weights under {name}"
    yield Matrix(name, mask, f"mask `{name}`", **TOKEN_PAIRS, decimals=0)
    yield Matrix(f"weights_{name}", weights, caption, **TOKEN_PAIRS, decimals=1)


def _published(reference):
    case = reference.case("masked_softmax/shares")
    scores, mask = case.call.args
    counts = _counts(scores)
    shares = reference.published("masked_softmax/shares")
    yield Matrix("scores_check", scores, code=("np.log", counts))
    yield Matrix("mask_check", mask, decimals=0)
    yield Matrix("counts", counts, decimals=0)
    yield Matrix("shares_check", shares)

    # Both sentences hold the same tokens.
    case = reference.case("masked_attention/two-sentences")
    (Q, _), (K, _), (V, _), _ = case.call.args
    counts = _counts(K)
    yield Matrix("Q", Q, decimals=0)
    yield Matrix("K", K, code=("np.log", counts))
    yield Matrix("V", V, decimals=0)
    weights, output = reference.published("masked_attention/two-sentences")
    yield from _sentence("first", weights[0], output[0])
    yield from _sentence("second", weights[1], output[1])

    case = reference.case("cross_attention/two-sequences")
    X_q, X_kv, W_q, W_k, W_v, mask = case.call.args
    yield Matrix("X_q", X_q, decimals=0)
    yield Matrix("X_kv", X_kv, decimals=0)
    yield Matrix("W_q", W_q, decimals=0)
    yield Matrix("W_k", W_k, decimals=0)
    yield Matrix("W_v", W_v, decimals=0)
    yield Matrix("mask", mask, decimals=0)
    cross_output = reference.published("cross_attention/two-sequences")
    yield Matrix("cross_check", cross_output, decimals=4)


def _sentence(name, weights, output):
    caption = f"weights, {name} sentence"
    yield Matrix(f"weights_{name}", weights, caption, QUERIES, KEYS, decimals=3)
    yield Matrix(f"output_{name}", output, "its output", QUERIES)


def _counts(logarithms):
    """Return the whole numbers whose logarithms the scores are."""
    numbers = np.exp(logarithms)
    return np.rint(numbers).astype(int)
