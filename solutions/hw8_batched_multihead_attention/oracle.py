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
        allowed = torch.as_tensor(mask).broadcast_to(B, n_heads, N, N)
        forbidden = ~allowed.reshape(-1, N, N)
    with torch.no_grad():
        weights = [_double(W).T for W in (W_q, W_k, W_v)]
        W_qkv = torch.cat(weights)
        layer.in_proj_weight.copy_(W_qkv)
        layer.out_proj.weight.copy_(_double(W_o).T)
        output, _ = layer(X, X, X, attn_mask=forbidden, need_weights=False)
    return output


def grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    X = _double(X)
    Q = split_heads(X @ _double(W_q), n_heads)
    K = split_heads(X @ _double(W_k), n_kv_heads)
    V = split_heads(X @ _double(W_v), n_kv_heads)
    allowed = None
    if mask is not None:
        allowed = torch.as_tensor(mask)
    heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed, enable_gqa=True)
    merged = merge_heads(heads)
    return merged @ _double(W_o)


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
