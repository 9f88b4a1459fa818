"""A second, independent way to the same numbers: torch's own attention, in float64. For `make verify`."""

import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    X = _double(X)
    Q = F.linear(X, _double(W_q).T)
    K = F.linear(X, _double(W_k).T)
    V = F.linear(X, _double(W_v).T)
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    """Read the attention weights from attention over one-hot values."""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    one_hot = torch.eye(len(K), dtype=torch.float64)
    return _attend(Q, K, one_hot), _attend(Q, K, V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    return _attend(Q, K, V).float()


def _attend(Q, K, V):
    batch_of_one = [array[None] for array in (Q, K, V)]
    outputs = F.scaled_dot_product_attention(*batch_of_one)
    return outputs[0]


def _double(array):
    return torch.as_tensor(array).to(torch.float64)
