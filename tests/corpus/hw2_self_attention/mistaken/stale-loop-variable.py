"""loses: self_attention_numpy_published, self_attention_numpy_output, self_attention_numpy_large,
self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes,
self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v



def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[1])
    e = np.exp(s - s.max(axis=1)[:, None])
    A = e / e.sum(axis=1)[:, None]
    for v in V:
        pass
    out = np.zeros((len(X), len(v)))
    for i in range(len(X)):
        for j in range(len(X)):
            out[i] = out[i] + A[i][j] * v
    return A, out


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    for q, k, v in zip(Q, K, V):
        length = k.shape[0]
    rows = []
    for weights in torch.softmax(Q @ K.T / length**0.5, dim=-1):
        rows.append(sum(weight * v for weight in weights))
    return torch.stack(rows)
