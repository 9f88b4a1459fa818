"""A second, independent way to the same numbers: torch's layer and operators. Only `make verify` uses it."""

import torch
import torch.nn.functional as F


def split_heads(X, n_heads):
    heads = _double(X).chunk(n_heads, dim=-1)
    return torch.stack(heads, dim=1)


def merge_heads(X):
    heads = _double(X).unbind(1)
    return torch.cat(heads, dim=-1)


def multihead_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Run torch's layer: it applies its weights as x @ W.T, and its mask is True where attention is forbidden."""
    X = _double(X)
    B, N, D = X.shape
    layer = torch.nn.MultiheadAttention(
        D, n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    forbidden = None
    if mask is not None:
        allowed = torch.as_tensor(mask)
        for_each_head = allowed.broadcast_to(B, n_heads, N, N)
        forbidden = ~for_each_head.reshape(-1, N, N)
    W_q, W_k, W_v, W_o = map(_double, (W_q, W_k, W_v, W_o))
    W_qkv = torch.cat([W_q.T, W_k.T, W_v.T])
    with torch.no_grad():
        layer.in_proj_weight.copy_(W_qkv)
        layer.out_proj.weight.copy_(W_o.T)
        output, _ = layer(X, X, X, attn_mask=forbidden, need_weights=False)
    return output


def grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    X, W_q, W_k, W_v, W_o = map(_double, (X, W_q, W_k, W_v, W_o))
    Q = split_heads(X @ W_q, n_heads)
    K = split_heads(X @ W_k, n_kv_heads)
    V = split_heads(X @ W_v, n_kv_heads)
    allowed = None
    if mask is not None:
        allowed = torch.as_tensor(mask)
    heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed, enable_gqa=True)
    merged = merge_heads(heads)
    return merged @ W_o


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
