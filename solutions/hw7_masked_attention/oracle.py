"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it.

A mask of ``scaled_dot_product_attention`` is True where a key takes part, one of ``MultiheadAttention`` where
it does not. Where nothing is allowed, both return NaN in place of 0.
"""

import torch
import torch.nn.functional as F


def causal_mask(n):
    zeros_and_minus_infinity = torch.nn.Transformer.generate_square_subsequent_mask(n)
    return ~zeros_and_minus_infinity.isinf()


def padding_mask(lengths, n):
    """Fill up the words of each sentence."""
    rows = []
    for length in map(int, lengths):
        words = torch.ones(length, dtype=torch.bool)
        missing_words = n - length
        row = F.pad(words, (0, missing_words))
        rows.append(row)
    mask = torch.stack(rows)
    return mask[:, None]


def masked_softmax(scores, mask):
    forbidden = ~torch.as_tensor(mask)
    scores = _double(scores)
    visible = scores.masked_fill(forbidden, -torch.inf)
    weights = torch.softmax(visible, dim=-1)
    return weights.nan_to_num(0.0)


def masked_attention(Q, K, V, mask):
    """Read the attention weights from attention over one-hot values."""
    Q, K, V = map(_double, (Q, K, V))
    mask = torch.as_tensor(mask)
    *batch, n_k, _ = K.shape
    identity = torch.eye(n_k, dtype=torch.float64)
    one_hot = identity.expand(*batch, n_k, n_k)
    weights = F.scaled_dot_product_attention(Q, K, one_hot, attn_mask=mask)
    output = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    return weights.nan_to_num(0.0), output.nan_to_num(0.0)


def cross_attention(X_q, X_kv, W_q, W_k, W_v, mask):
    """Take the weights from one head of torch's layer, which gets queries and keys ready-made."""
    X_q, X_kv, W_q, W_k, W_v = map(_double, (X_q, X_kv, W_q, W_k, W_v))
    Q = X_q @ W_q
    K = X_kv @ W_k
    V = X_kv @ W_v
    d_k = Q.shape[1]
    layer = torch.nn.MultiheadAttention(
        d_k, num_heads=1, bias=False, dtype=torch.float64
    )
    identity = torch.eye(d_k)
    three_identities = identity.repeat(3, 1)
    forbidden = ~torch.as_tensor(mask)
    with torch.no_grad():
        layer.in_proj_weight.copy_(three_identities)
        _, weights = layer(Q, K, K, attn_mask=forbidden)
    return weights.nan_to_num(0.0) @ V


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
