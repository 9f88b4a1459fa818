"""The worked example of hw8: one sequence of the published cases, and what becomes of its heads."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
SPLIT, MULTIHEAD, GROUPED = (
    "split_heads",
    "multihead_attention",
    "grouped_query_attention",
)


def example(reference):
    counted, _ = reference.case(f"{SPLIT}/counted").call.args
    yield Matrix("counted", counted[0], "X[0]", TOKENS, decimals=0)
    for name, heads in (
        ("head", reference.published(f"{SPLIT}/counted")),
        ("torn", reference.mistaken(f"{SPLIT}/counted", "split-without-transpose")),
    ):
        for h in (0, 1):
            yield Matrix(f"{name}_{h}", heads[0, h], f"head {h}", decimals=0)
    yield from _multihead(reference)
    yield from _grouped(reference)


def _multihead(reference):
    X, *weights, n_heads = reference.case(f"{MULTIHEAD}/tokens").call.args
    yield Matrix("tokens", X[0], "X[0]", TOKENS, decimals=0)
    for name, W in zip(("W_q", "W_k", "W_v", "W_o"), weights, strict=True):
        yield Matrix(name, W, decimals=0)
    mixed = reference(FunctionCall(MULTIHEAD, (X, *weights[:3], np.eye(4), n_heads)))[0]
    yield Matrix("merged", mixed, "both heads, merged", TOKENS)
    yield Matrix(
        "output", reference.published(f"{MULTIHEAD}/tokens")[0], "output[0]", TOKENS
    )
    yield Matrix(
        "causal",
        reference.published(f"{MULTIHEAD}/causal")[0],
        "output[0], causal mask",
        TOKENS,
    )
    yield Matrix("first_value", X[0, 0] @ weights[2], decimals=0)


def _grouped(reference):
    wide = reference.case(f"{GROUPED}/shared").call.args[0][0]
    yield Matrix("wide", wide, "X[0]", TOKENS, decimals=0)
    yield Matrix(
        "grouped", reference.published(f"{GROUPED}/shared")[0], "output[0]", TOKENS
    )
