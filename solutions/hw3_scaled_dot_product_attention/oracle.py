"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it."""

import torch
import torch.nn.functional as F


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)


def softmax(x):
    return F.log_softmax(_double(x), dim=1).exp()


def scaled_dot_product_attention(Q, K, V):
    """Attention over one-hot values is the attention weights themselves."""
    return _attend(Q, K, torch.eye(len(K))), _attend(Q, K, V)


def _attend(Q, K, V):
    batch = [_double(array)[None] for array in (Q, K, V)]
    return F.scaled_dot_product_attention(*batch)[0]
