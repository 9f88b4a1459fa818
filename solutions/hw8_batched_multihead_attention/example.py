"""The worked example of hw8: one sequence of the published cases, and what becomes of its heads."""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
from autograder.course import FunctionCall

TOKENS = ("cats", "chase", "mice")
SPLIT = "split_heads"
MULTIHEAD = "multihead_attention"
GROUPED = "grouped_query_attention"


def example(reference):
    case = reference.case(f"{SPLIT}/counted")
    counted, _ = case.call.args
    yield whole_numbers("counted", counted[0], "X[0]", TOKENS)
    heads, _ = reference.published(f"{SPLIT}/counted")
    torn_heads, _ = reference.mistaken(f"{SPLIT}/counted", "split-without-transpose")
    for h, (head, torn_head) in enumerate(zip(heads, torn_heads, strict=True)):
        caption = f"head {h}"
        yield whole_numbers(f"head_{h}", head, caption)
        yield whole_numbers(f"torn_{h}", torn_head, caption)
    yield from _multihead(reference)
    yield from _grouped(reference)


def _multihead(reference):
    case = reference.case(f"{MULTIHEAD}/tokens")
    X, W_q, W_k, W_v, W_o, n_heads = case.call.args
    yield whole_numbers("tokens", X[0], "X[0]", TOKENS)
    yield whole_numbers("W_q", W_q)
    yield whole_numbers("W_k", W_k)
    yield whole_numbers("W_v", W_v)
    yield whole_numbers("W_o", W_o)

    # With the identity in place of W_o, the heads are merged and not recombined.
    identity = np.eye(4)
    merging = FunctionCall(MULTIHEAD, (X, W_q, W_k, W_v, identity, n_heads))
    merged = reference(merging)
    output = reference.published(f"{MULTIHEAD}/tokens")
    causal_output = reference.published(f"{MULTIHEAD}/causal")
    yield Matrix("merged", merged[0], "both heads, merged", TOKENS)
    yield Matrix("output", output[0], "output[0]", TOKENS)
    yield Matrix("causal", causal_output[0], "output[0], causal mask", TOKENS)
    first_token = X[0, 0]
    yield whole_numbers("first_value", first_token @ W_v)


def _grouped(reference):
    case = reference.case(f"{GROUPED}/shared")
    wide, *_ = case.call.args
    output = reference.published(f"{GROUPED}/shared")
    yield whole_numbers("wide", wide[0], "X[0]", TOKENS)
    yield Matrix("grouped", output[0], "output[0]", TOKENS)
