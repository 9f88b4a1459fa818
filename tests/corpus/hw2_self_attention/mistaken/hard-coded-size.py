"""loses: project_qkv_sizes, self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    Q, K, V = np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    for i in range(3):
        for j in range(4):
            Q[i, j] = np.sum(X[i] * W_q[:, j])
            K[i, j] = np.sum(X[i] * W_k[:, j])
            V[i, j] = np.sum(X[i] * W_v[:, j])
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    weights = np.zeros((3, 3))
    for i in range(3):
        row = np.array([Q[i] @ K[j] for j in range(3)]) / 2
        row = np.exp(row - row.max())
        weights[i] = row / row.sum()
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return torch.softmax(Q @ K.T / 2, dim=1) @ V
