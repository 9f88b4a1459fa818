"""The worked example of hw8: one sequence of the published cases, and what becomes of its heads."""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
SPLIT = "split_heads"
MULTIHEAD = "multihead_attention"
GROUPED = "grouped_query_attention"


def example(reference):
    counted, _ = reference.case(f"{SPLIT}/counted").call.args
    yield Matrix("counted", counted[0], "X[0]", TOKENS, decimals=0)
    heads = reference.published(f"{SPLIT}/counted")
    torn_heads = reference.mistaken(f"{SPLIT}/counted", "split-without-transpose")
    for h in (0, 1):
        yield Matrix(f"head_{h}", heads[0, h], f"head {h}", decimals=0)
    for h in (0, 1):
        yield Matrix(f"torn_{h}", torn_heads[0, h], f"head {h}", decimals=0)
    yield from _multihead(reference)
    yield from _grouped(reference)


def _multihead(reference):
    arguments = reference.case(f"{MULTIHEAD}/tokens").call.args
    X, W_q, W_k, W_v, W_o, n_heads = arguments
    yield Matrix("tokens", X[0], "X[0]", TOKENS, decimals=0)
    yield Matrix("W_q", W_q, decimals=0)
    yield Matrix("W_k", W_k, decimals=0)
    yield Matrix("W_v", W_v, decimals=0)
    yield Matrix("W_o", W_o, decimals=0)

    # With the identity in place of W_o, the heads are merged and not recombined.
    merged = reference(FunctionCall(MULTIHEAD, (X, W_q, W_k, W_v, np.eye(4), n_heads)))
    output = reference.published(f"{MULTIHEAD}/tokens")
    causal_output = reference.published(f"{MULTIHEAD}/causal")
    yield Matrix("merged", merged[0], "both heads, merged", TOKENS)
    yield Matrix("output", output[0], "output[0]", TOKENS)
    yield Matrix("causal", causal_output[0], "output[0], causal mask", TOKENS)
    yield Matrix("first_value", X[0, 0] @ W_v, decimals=0)


def _grouped(reference):
    wide, *_ = reference.case(f"{GROUPED}/shared").call.args
    output = reference.published(f"{GROUPED}/shared")
    yield Matrix("wide", wide[0], "X[0]", TOKENS, decimals=0)
    yield Matrix("grouped", output[0], "output[0]", TOKENS)
