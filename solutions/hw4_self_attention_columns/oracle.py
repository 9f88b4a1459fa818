"""A second, independent way to the same numbers: torch's attention layers. Only `make verify` uses it."""

import torch
from torch.nn import functional


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def softmax(items):
    return functional.log_softmax(_double(items), dim=0).exp()


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """A layer for each token as the only query; its scaling is undone in the query's parameters."""
    tokens = torch.stack([_double(x) for x in all_x])[:, :, 0]
    scale = tokens.shape[1] ** 0.5
    query = _double(omega_q) * scale, _double(beta_q) * scale
    layer = _one_head((omega_v, beta_v), query, (omega_k, beta_k))
    with torch.no_grad():
        return [layer(token[None], tokens, tokens)[0].T for token in tokens]


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = (
        functional.linear(_double(X).T, _double(omega), _double(beta)[:, 0])
        for omega, beta in ((omega_v, beta_v), (omega_q, beta_q), (omega_k, beta_k))
    )
    return functional.scaled_dot_product_attention(
        Q[None], K[None], V[None], scale=1.0
    )[0].T


def scaled_dot_product_self_attention(
    X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k
):
    layer = _one_head((omega_v, beta_v), (omega_q, beta_q), (omega_k, beta_k))
    tokens = _double(X).T
    with torch.no_grad():
        return layer(tokens, tokens, tokens)[0].T


def _one_head(value, query, key):
    """Return an attention layer with these (weights, bias) pairs and no output projection of its own."""
    dimension = len(value[0])
    layer = torch.nn.MultiheadAttention(dimension, num_heads=1, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(
            torch.cat([_double(omega) for omega, _ in (query, key, value)])
        )
        layer.in_proj_bias.copy_(
            torch.cat([_double(beta)[:, 0] for _, beta in (query, key, value)])
        )
        layer.out_proj.weight.copy_(torch.eye(dimension))
        layer.out_proj.bias.zero_()
    return layer
