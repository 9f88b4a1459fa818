"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it."""

import torch
import torch.nn.functional as F


def softmax(x):
    x = _double(x)
    logarithms = F.log_softmax(x, dim=1)
    return logarithms.exp()


def scaled_dot_product_attention(Q, K, V):
    """Read the attention weights from attention over one-hot values."""
    Q, K, V = map(_double, (Q, K, V))
    one_hot = torch.eye(len(K), dtype=torch.float64)
    weights = F.scaled_dot_product_attention(Q, K, one_hot)
    context = F.scaled_dot_product_attention(Q, K, V)
    return weights, context


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
