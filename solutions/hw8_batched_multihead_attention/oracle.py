"""A second, independent way to the same numbers: torch's layer and operators. Only `make verify` uses it."""

import torch
import torch.nn.functional as F


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def split_heads(X, n_heads):
    return torch.stack(_double(X).chunk(n_heads, dim=-1), dim=1)


def merge_heads(X):
    return torch.cat(_double(X).unbind(1), dim=-1)


def multihead_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """The layer applies its weights as x @ W.T, and its mask is True where attention is forbidden."""
    X = _double(X)
    B, N, D = X.shape
    layer = torch.nn.MultiheadAttention(
        D, n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    if mask is not None:
        mask = ~torch.as_tensor(mask).broadcast_to(B, n_heads, N, N).reshape(-1, N, N)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([_double(W).T for W in (W_q, W_k, W_v)]))
        layer.out_proj.weight.copy_(_double(W_o).T)
        return layer(X, X, X, attn_mask=mask, need_weights=False)[0]


def grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    X, W_q, W_k, W_v, W_o = map(_double, (X, W_q, W_k, W_v, W_o))
    Q, K, V = (
        split_heads(X @ W_q, n_heads),
        split_heads(X @ W_k, n_kv_heads),
        split_heads(X @ W_v, n_kv_heads),
    )
    mask = None if mask is None else torch.as_tensor(mask)
    return (
        merge_heads(
            F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, enable_gqa=True)
        )
        @ W_o
    )
