"""The worked example of hw7: one row of scores for all queries, under three masks.

Scores are logarithms, so that weights are shares. The published cases are shown beside it.
"""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice", "–")
TOKEN_PAIRS = {"rows": TOKENS, "columns": TOKENS, "corner": "query \\ key"}
PARTS_OF_A_QUERY = [2, 2, 1, 5]
PARTS = np.array([PARTS_OF_A_QUERY] * 4)
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
    yield whole_numbers("parts", PARTS[0])
    yield from _masked(reference, "causal", causal)
    yield from _masked(reference, "padding", padding)
    yield from _masked(reference, "both", causal & padding)
    yield from _shares(reference)
    yield from _two_sentences(reference)
    yield from _cross_attention(reference)


def _published(reference, name):
    """Return the arguments of a published case, and the published answer."""
    case = reference.case(name)
    answer = reference.published(name)
    return case.call.args, answer


def _masked(reference, name, mask):
    """Yield a mask, and the weights that it leaves."""
    softmax = FunctionCall("masked_softmax", (SCORES, mask))
    weights = reference(softmax)
    mask_caption = f"mask `{name}`"
    caption = f"weights under {name}"
    weights_name = f"weights_{name}"
    yield whole_numbers(name, mask, mask_caption, **TOKEN_PAIRS)
    yield Matrix(
        weights_name,
        weights,
        caption,
        **TOKEN_PAIRS,
        decimals=1,
    )


def _shares(reference):
    arguments, shares = _published(reference, "masked_softmax/shares")
    scores, mask = arguments
    counts = _counts(scores)
    yield Matrix("scores_check", scores, code=("np.log", counts))
    yield whole_numbers("mask_check", mask)
    yield whole_numbers("counts", counts)
    yield Matrix("shares_check", shares)


def _two_sentences(reference):
    arguments, answer = _published(reference, "masked_attention/two-sentences")
    # Both sentences hold the same tokens.
    (Q, _), (K, _), (V, _), _ = arguments
    counts = _counts(K)
    yield whole_numbers("Q", Q)
    yield Matrix("K", K, code=("np.log", counts))
    yield whole_numbers("V", V)
    weights, output = answer
    first_weights, second_weights = weights
    first_output, second_output = output
    yield from _sentence("first", first_weights, first_output)
    yield from _sentence("second", second_weights, second_output)


def _cross_attention(reference):
    arguments, output = _published(reference, "cross_attention/two-sequences")
    X_q, X_kv, W_q, W_k, W_v, mask = arguments
    yield whole_numbers("X_q", X_q)
    yield whole_numbers("X_kv", X_kv)
    yield whole_numbers("W_q", W_q)
    yield whole_numbers("W_k", W_k)
    yield whole_numbers("W_v", W_v)
    yield whole_numbers("mask", mask)
    yield Matrix("cross_check", output, decimals=4)


def _sentence(name, weights, output):
    caption = f"weights, {name} sentence"
    weights_name = f"weights_{name}"
    output_name = f"output_{name}"
    yield Matrix(weights_name, weights, caption, QUERIES, KEYS, decimals=3)
    yield Matrix(output_name, output, "its output", QUERIES)


def _counts(logarithms):
    """Return the whole numbers whose logarithms the scores are."""
    numbers = np.exp(logarithms)
    return np.rint(numbers).astype(int)
