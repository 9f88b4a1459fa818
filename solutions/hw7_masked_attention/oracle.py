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
    return torch.stack([F.pad(torch.ones(int(m)), (0, n - int(m)))[None] for m in lengths]) > 0


def masked_softmax(scores, mask):
    """Softmax over a row without forbidden scores is NaN where nothing is left."""
    visible = _double(scores).masked_fill(~torch.as_tensor(mask), -torch.inf)
    return torch.softmax(visible, dim=-1).nan_to_num(0.0)


def masked_attention(Q, K, V, mask):
    """Attention over one-hot values is the attention weights themselves."""
    one_hot = torch.eye(K.shape[-2], dtype=torch.float64).expand(*K.shape[:-2], -1, -1)
    Q, K, V, mask = _double(Q), _double(K), _double(V), torch.as_tensor(mask)
    return tuple(F.scaled_dot_product_attention(Q, K, values, attn_mask=mask) for values in (one_hot, V))


def cross_attention(X_q, X_kv, W_q, W_k, W_v, mask):
    """One head of torch's layer, which gets the queries ready-made, as its own are as wide as its tokens."""
    queries, read, W_k, W_v = _double(X_q) @ _double(W_q), _double(X_kv), _double(W_k), _double(W_v)
    (d_kv, d_k), own = W_k.shape, {"bias": False, "dtype": torch.float64}
    layer = torch.nn.MultiheadAttention(d_k, num_heads=1, kdim=d_kv, vdim=d_kv, **own)
    with torch.no_grad():
        layer.q_proj_weight.copy_(torch.eye(d_k))
        layer.k_proj_weight.copy_(W_k.T)
        _, weights = layer(queries, read, read, attn_mask=~torch.as_tensor(mask))
    return weights @ (read @ W_v)
