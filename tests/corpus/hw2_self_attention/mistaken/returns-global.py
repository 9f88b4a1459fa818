"""loses: project_qkv_published, project_qkv_sizes, self_attention_torch_published,
self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


X = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])
torch.manual_seed(1)
output = torch.rand(3, 4)
Q, K, V = X @ np.eye(4), X @ np.eye(4), X @ np.eye(4)
everything = (Q, K, V)


def project_qkv(X, W_q, W_k, W_v):
    return everything


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.T / np.sqrt(K.shape[1])
    e = np.exp(s - s.max(axis=1)[:, None])
    A = e / e.sum(axis=1)[:, None]
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    return output
