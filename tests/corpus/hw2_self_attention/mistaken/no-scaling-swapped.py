"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return tuple(np.einsum("nd,de->ne", X, W) for W in (W_q, W_k, W_v))


def self_attention_numpy(X, W_q, W_k, W_v):
    """Gives the mixed values, then how they were mixed."""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = Q @ K.T
    A -= A.max(axis=1)[:, None]
    np.exp(A, out=A)
    A /= A.sum(axis=1)[:, None]
    return A @ V, A


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = (X @ W for W in (W_q, W_k, W_v))
    return torch.softmax(Q @ K.T * K.shape[1] ** -0.5, 1) @ V
