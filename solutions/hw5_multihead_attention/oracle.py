"""A second, independent way to the same numbers: torch's multi-head layer. Only `make verify` uses it."""

import torch


def softmax_cols(data_in):
    layer = torch.nn.Softmax(dim=0)
    return layer(_double(data_in))


def multihead_scaled_self_attention(X, *parameters):
    """Put both heads into one layer, which splits its D query, key and value features, head 1 first."""
    *parameters_of_heads, omega_c = map(_double, parameters)
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1 = parameters_of_heads[:6]
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2 = parameters_of_heads[6:]
    # The layer's order is that of queries, keys and values.
    weights = torch.cat([omega_q1, omega_q2, omega_k1, omega_k2, omega_v1, omega_v2])
    column_of_biases = torch.cat([beta_q1, beta_q2, beta_k1, beta_k2, beta_v1, beta_v2])
    biases = column_of_biases[:, 0]
    D = len(X)
    layer = torch.nn.MultiheadAttention(D, num_heads=2, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(weights)
        layer.in_proj_bias.copy_(biases)
        layer.out_proj.weight.copy_(omega_c)
        layer.out_proj.bias.zero_()
        tokens = _double(X).T
        output, _ = layer(tokens, tokens, tokens, need_weights=False)
    return output.T


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
