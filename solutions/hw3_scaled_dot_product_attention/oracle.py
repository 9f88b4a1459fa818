"""A second, independent way to the same numbers: torch's own operators. Only `make verify` uses it."""

import torch
import torch.nn.functional as F


def softmax(x):
    logarithms = F.log_softmax(_double(x), dim=1)
    return logarithms.exp()


def scaled_dot_product_attention(Q, K, V):
    """Read the attention weights from attention over one-hot values."""
    one_hot = torch.eye(len(K))
    return _attend(Q, K, one_hot), _attend(Q, K, V)


def _attend(Q, K, V):
    batch_of_one = [_double(array)[None] for array in (Q, K, V)]
    outputs = F.scaled_dot_product_attention(*batch_of_one)
    return outputs[0]


def _double(array):
    return torch.as_tensor(array, dtype=torch.float64)
