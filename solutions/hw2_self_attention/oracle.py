"""A second, independent way to the same numbers: torch's own attention, in float64. For `make verify`."""

import torch
import torch.nn.functional as F


def _double(array):
    return torch.as_tensor(array).to(torch.float64)


def project_qkv(X, W_q, W_k, W_v):
    return tuple(F.linear(_double(X), _double(weight).T) for weight in (W_q, W_k, W_v))


def self_attention_numpy(X, W_q, W_k, W_v):
    """Attention over one-hot values is the attention weights themselves."""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    one_hot = torch.eye(len(K), dtype=torch.float64)
    return _attend(Q, K, one_hot), _attend(Q, K, V)


def self_attention_torch(X, W_q, W_k, W_v):
    return _attend(*project_qkv(X, W_q, W_k, W_v)).float()


def _attend(Q, K, V):
    return F.scaled_dot_product_attention(Q[None], K[None], V[None])[0]
