"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def softmax(M):
    M = np.exp(M - np.max(M, axis=1, keepdims=True))
    return M / np.sum(M, axis=1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    n = len(K)
    A = softmax(Q @ K.T / np.sqrt(n))
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = torch.softmax(Q @ K.T / len(K) ** 0.5, dim=1)
    return A @ V
