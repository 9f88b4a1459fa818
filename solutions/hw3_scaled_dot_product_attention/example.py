"""The worked example of hw3 is a published case: its scores are logarithms, so that its weights are shares.

For the picture, a query and four keys hold only 1 and -1, in two widths. The keys agree with the query by
2, 1, 0 and -1 standard deviations of the dot product, which is the square root of d_k.
"""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

NAME = "scaled_dot_product_attention"
QUERIES, KEYS = ("query 1", "query 2"), ("key 1", "key 2", "key 3")
DEVIATIONS = np.array([2, 1, 0, -1])
NARROW, WIDE = 4, 64


def example(reference):
    yield from _shares(reference)
    yield from _checks(reference)
    for d_k in (NARROW, WIDE):
        yield from _agreement(reference, d_k)


def _shares(reference):
    Q, K, V = reference.case(f"{NAME}/shares").call.args
    weights, context = reference.published(f"{NAME}/shares")
    yield Matrix("Q", Q, "Q, queries", QUERIES, decimals=0)
    yield Matrix(
        "K", K, "K, keys", KEYS, code=("np.log", np.rint(np.exp(K)).astype(int))
    )
    yield Matrix("V", V, "V, values", KEYS, decimals=0)
    yield Matrix("weights", weights, "attention weights", QUERIES, KEYS, decimals=3)
    yield Matrix("context", context, "context vectors", QUERIES)


def _checks(reference):
    yield Matrix(
        "x_check", *reference.case("softmax/whole-numbers").call.args, decimals=0
    )
    yield Matrix(
        "softmax_check", reference.published("softmax/whole-numbers"), decimals=4
    )
    queries, keys, values = reference.case(f"{NAME}/three-queries").call.args
    for name, numbers in (("Q_2", queries), ("K_2", keys), ("V_2", values)):
        yield Matrix(name, numbers, decimals=0)
    yield Matrix(
        "weights_2", reference.published(f"{NAME}/three-queries")[0], decimals=4
    )


def _agreement(reference, d_k):
    """The weights of one query, with and without scaling, and their entropies in bits."""
    scores = DEVIATIONS * np.sqrt(d_k)
    keys = np.where(np.arange(d_k) < (d_k + scores[:, None]) / 2, 1.0, -1.0)
    raw = reference(FunctionCall("softmax", (scores[None],)))[0]
    scaled = reference(
        FunctionCall(NAME, (np.ones((1, d_k)), keys, np.eye(len(keys))))
    )[0][0]
    yield from _with_entropy(f"raw_{d_k}", raw, scores)
    yield from _with_entropy(f"scaled_{d_k}", scaled, DEVIATIONS)


def _with_entropy(name, weights, scores):
    yield Matrix(name, weights, columns=[f"{score:g}" for score in scores])
    yield Matrix(f"entropy_{name}", -(weights * np.log2(weights)).sum())
