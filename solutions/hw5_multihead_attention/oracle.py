"""A second, independent way to the same numbers: torch's multi-head layer. Only `make verify` uses it."""

import torch


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def softmax_cols(data_in):
    return torch.nn.Softmax(dim=0)(_double(data_in))


def multihead_scaled_self_attention(X, *parameters):
    """The layer splits its D query, key and value features into the heads, head 1 first."""
    *heads, omega_c = (_double(parameter) for parameter in parameters)
    both = [
        torch.cat((one, two)) for one, two in zip(heads[:6], heads[6:], strict=True)
    ]
    omega_v, omega_q, omega_k, beta_v, beta_q, beta_k = both
    layer = torch.nn.MultiheadAttention(len(X), num_heads=2, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat((omega_q, omega_k, omega_v)))
        layer.in_proj_bias.copy_(torch.cat((beta_q, beta_k, beta_v))[:, 0])
        layer.out_proj.weight.copy_(omega_c)
        layer.out_proj.bias.zero_()
        tokens = _double(X).T
        return layer(tokens, tokens, tokens, need_weights=False)[0].T
