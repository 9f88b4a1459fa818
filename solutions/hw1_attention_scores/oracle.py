"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it."""

import math

import torch
import torch.nn.functional as F


def qk_scores(Q, K):
    Q = _double(Q)
    K = _double(K)
    return torch.einsum("qd,kd->qk", Q, K)


def scale_scores(scores, d_k):
    factor = math.pow(d_k, -0.5)
    return _double(scores).mul(factor)


def softmax(x):
    x = _double(x)
    logarithms = F.log_softmax(x, dim=1)
    return logarithms.exp()


def attention_output(attention_weights, V):
    attention_weights = _double(attention_weights)
    V = _double(V)
    return torch.einsum("qk,kv->qv", attention_weights, V)


def attention_flow(Q, K, V):
    """Take the output from F.scaled_dot_product_attention, which never shows its weights."""
    scores = qk_scores(Q, K)
    scaled_scores = scale_scores(scores, Q.shape[1])
    weights = softmax(scaled_scores)
    queries, keys, values = map(_double, (Q, K, V))
    output = F.scaled_dot_product_attention(queries, keys, values)
    return scores, scaled_scores, weights, output


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
