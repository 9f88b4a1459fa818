"""The worked example of hw3 is a published case: its scores are logarithms, so that its weights are shares.

For the picture, a query and four keys hold only 1 and -1, in two widths. The keys agree with the query by
2, 1, 0 and -1 standard deviations of the dot product, which is the square root of d_k.
"""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

SOFTMAX = "softmax"
ATTENTION = "scaled_dot_product_attention"
QUERIES = ("query 1", "query 2")
KEYS = ("key 1", "key 2", "key 3")

DEVIATIONS = np.array([2, 1, 0, -1])
NARROW = 4
WIDE = 64


def example(reference):
    yield from _shares(reference)
    yield from _checks(reference)
    yield from _agreement(reference, NARROW)
    yield from _agreement(reference, WIDE)


def _shares(reference):
    shares = reference.case(f"{ATTENTION}/shares")
    Q, K, V = shares.call.args
    weights, context = reference.published(f"{ATTENTION}/shares")
    numbers = np.exp(K)
    counts = np.rint(numbers).astype(int)
    yield whole_numbers("Q", Q, "Q, queries", QUERIES)
    yield Matrix("K", K, "K, keys", KEYS, code=("np.log", counts))
    yield whole_numbers("V", V, "V, values", KEYS)
    yield Matrix("weights", weights, "attention weights", QUERIES, KEYS, decimals=3)
    yield Matrix("context", context, "context vectors", QUERIES)


def _checks(reference):
    """Yield the numbers of the other published cases, with which students check their own."""
    case = reference.case(f"{SOFTMAX}/whole-numbers")
    (scores,) = case.call.args
    shares = reference.published(f"{SOFTMAX}/whole-numbers")
    yield whole_numbers("x_check", scores)
    yield Matrix("softmax_check", shares, decimals=4)

    case = reference.case(f"{ATTENTION}/three-queries")
    Q, K, V = case.call.args
    weights, _ = reference.published(f"{ATTENTION}/three-queries")
    yield whole_numbers("Q_2", Q)
    yield whole_numbers("K_2", K)
    yield whole_numbers("V_2", V)
    yield Matrix("weights_2", weights, decimals=4)


def _agreement(reference, d_k):
    """Yield the weights of one query, with and without scaling, and their entropies in bits."""
    query = np.ones((1, d_k))
    scores = DEVIATIONS * np.sqrt(d_k)
    # So many entries of a key are 1, as those of the query are, that its dot product is the score.
    agreeing = (d_k + scores) / 2
    agrees = np.arange(d_k) < agreeing[:, None]
    keys = np.where(agrees, 1.0, -1.0)
    one_hot = np.eye(len(keys))

    softmax = FunctionCall(SOFTMAX, (scores[None],))
    attention = FunctionCall(ATTENTION, (query, keys, one_hot))
    (raw_weights,) = reference(softmax)
    (scaled_weights,), _ = reference(attention)
    yield from _with_entropy(f"raw_{d_k}", raw_weights, scores)
    yield from _with_entropy(f"scaled_{d_k}", scaled_weights, DEVIATIONS)


def _with_entropy(name, weights, scores):
    bits = np.log2(weights)
    entropy = -(weights * bits).sum()
    labels = [f"{score:g}" for score in scores]
    yield Matrix(name, weights, columns=labels)
    yield Matrix(f"entropy_{name}", entropy)
