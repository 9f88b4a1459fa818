"""loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
self_attention_numpy_unchanged"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return tuple(np.round(X @ W, 2) for W in (W_q, W_k, W_v))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.T / np.sqrt(K.shape[1])
    e = np.exp(s - s.max(axis=1)[:, None])
    A = (e / e.sum(axis=1)[:, None]).round(3)
    return A, np.round(A @ V, 3)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V

