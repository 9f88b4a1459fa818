"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it.

A mask of ``scaled_dot_product_attention`` is True where a key takes part, one of ``MultiheadAttention`` where
it does not. Where nothing is allowed, both return NaN in place of 0.
"""

import torch
import torch.nn.functional as F


def causal_mask(n):
    return ~torch.nn.Transformer.generate_square_subsequent_mask(n).isinf()


def padding_mask(lengths, n):
    """Fill up the words of each sentence."""
    rows = []
    for length in map(int, lengths):
        words = torch.ones(length, dtype=torch.bool)
        rows.append(F.pad(words, (0, n - length)))
    return torch.stack(rows)[:, None]


def masked_softmax(scores, mask):
    forbidden = ~torch.as_tensor(mask)
    visible = _double(scores).masked_fill(forbidden, -torch.inf)
    weights = torch.softmax(visible, dim=-1)
    return weights.nan_to_num(0.0)


def masked_attention(Q, K, V, mask):
    """Read the attention weights from attention over one-hot values."""
    Q, K, V = map(_double, (Q, K, V))
    mask = torch.as_tensor(mask)
    one_hot = torch.eye(K.shape[-2], dtype=torch.float64)
    one_hot = one_hot.expand(*K.shape[:-2], -1, -1)
    weights = F.scaled_dot_product_attention(Q, K, one_hot, attn_mask=mask)
    output = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    return weights.nan_to_num(0.0), output.nan_to_num(0.0)


def cross_attention(X_q, X_kv, W_q, W_k, W_v, mask):
    """Take the weights from one head of torch's layer, which gets queries and keys ready-made."""
    Q = _double(X_q) @ _double(W_q)
    K = _double(X_kv) @ _double(W_k)
    V = _double(X_kv) @ _double(W_v)
    d_k = Q.shape[1]
    layer = torch.nn.MultiheadAttention(
        d_k, num_heads=1, bias=False, dtype=torch.float64
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(d_k).repeat(3, 1))
        forbidden = ~torch.as_tensor(mask)
        _, weights = layer(Q, K, K, attn_mask=forbidden)
    return weights.nan_to_num(0.0) @ V


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
