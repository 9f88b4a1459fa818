"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it.

A mask of ``scaled_dot_product_attention`` is True where a key takes part, one of ``MultiheadAttention`` where
it does not.
"""

import torch
import torch.nn.functional as F


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def causal_mask(n):
    return ~torch.nn.Transformer.generate_square_subsequent_mask(n).isinf()


def padding_mask(lengths, n):
    return (
        torch.stack([F.pad(torch.ones(int(m)), (0, n - int(m)))[None] for m in lengths])
        > 0
    )


def masked_softmax(scores, mask):
    """Softmax over a row without forbidden scores is NaN where nothing is left."""
    visible = _double(scores).masked_fill(~torch.as_tensor(mask), -torch.inf)
    return torch.softmax(visible, dim=-1).nan_to_num(0.0)


def masked_attention(Q, K, V, mask):
    """Attention over one-hot values is the attention weights themselves; NaN where nothing is allowed."""
    one_hot = torch.eye(K.shape[-2], dtype=torch.float64).expand(*K.shape[:-2], -1, -1)
    Q, K, V, mask = _double(Q), _double(K), _double(V), torch.as_tensor(mask)
    attended = (
        F.scaled_dot_product_attention(Q, K, values, attn_mask=mask)
        for values in (one_hot, V)
    )
    return tuple(array.nan_to_num(0.0) for array in attended)


def cross_attention(X_q, X_kv, W_q, W_k, W_v, mask):
    """The weights are those of one head of torch's layer, which gets queries and keys ready-made."""
    Q, K, V = (
        _double(X) @ _double(W) for X, W in ((X_q, W_q), (X_kv, W_k), (X_kv, W_v))
    )
    layer = torch.nn.MultiheadAttention(
        Q.shape[1], num_heads=1, bias=False, dtype=torch.float64
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(Q.shape[1]).repeat(3, 1))
        _, weights = layer(Q, K, K, attn_mask=~torch.as_tensor(mask))
    return weights.nan_to_num(0.0) @ V
