"""The worked example of hw7: one row of scores for all queries, under three masks. Scores are logarithms, so
that weights are shares. The published cases are shown beside it.
"""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice", "–")
PARTS = np.array([[2, 2, 1, 5]] * 4)
PAIR = ("query 1", "query 2"), ("key 1", "key 2", "key 3")


def example(reference):
    def masks(name, *args):
        return np.asarray(reference(FunctionCall(name, args)))

    causal, padding = (
        masks("causal_mask", 4),
        np.broadcast_to(masks("padding_mask", np.array([3]), 4)[0], (4, 4)),
    )
    pairs = {"rows": TOKENS, "columns": TOKENS, "corner": "query \\ key"}
    yield Matrix("scores", np.log(PARTS), code=("np.log", PARTS))
    yield Matrix("parts", PARTS[0], decimals=0)
    for name, mask in (
        ("causal", causal),
        ("padding", padding),
        ("both", causal & padding),
    ):
        weights = reference(FunctionCall("masked_softmax", (np.log(PARTS), mask)))
        yield Matrix(name, mask, f"mask `{name}`", **pairs, decimals=0)
        yield Matrix(
            f"weights_{name}", weights, f"weights under {name}", **pairs, decimals=1
        )
    yield from _published(reference)


def _published(reference):
    scores, mask = reference.case("masked_softmax/shares").call.args
    counts = np.rint(np.exp(scores)).astype(int)
    yield Matrix("scores_check", scores, code=("np.log", counts))
    yield Matrix("mask_check", mask, decimals=0)
    yield Matrix("counts", counts, decimals=0)
    yield Matrix("shares_check", reference.published("masked_softmax/shares"))
    Q, K, V, _ = reference.case("masked_attention/two-sentences").call.args
    yield Matrix("Q", Q[0], decimals=0)
    yield Matrix("K", K[0], code=("np.log", np.rint(np.exp(K[0])).astype(int)))
    yield Matrix("V", V[0], decimals=0)
    weights, output = reference.published("masked_attention/two-sentences")
    for name, one, other in zip(("first", "second"), weights, output, strict=True):
        yield Matrix(
            f"weights_{name}", one, f"weights, {name} sentence", *PAIR, decimals=3
        )
        yield Matrix(f"output_{name}", other, "its output", PAIR[0])
    names = ("X_q", "X_kv", "W_q", "W_k", "W_v", "mask")
    for name, numbers in zip(
        names, reference.case("cross_attention/two-sequences").call.args, strict=True
    ):
        yield Matrix(name, numbers, decimals=0)
    yield Matrix(
        "cross_check", reference.published("cross_attention/two-sequences"), decimals=4
    )
