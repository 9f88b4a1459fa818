"""loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    Q = X @ W_q
    K = X @ W_q
    V = X @ W_v
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    S = Q @ K.T / np.sqrt(K.shape[1])
    S = np.exp(S - S.max(axis=1, keepdims=True))
    A = S / S.sum(axis=1, keepdims=True)
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V
