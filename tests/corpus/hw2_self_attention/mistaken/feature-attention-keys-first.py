"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
self_attention_numpy_large, self_attention_numpy_unchanged"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v



def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    d = K.shape[1]
    s = K.T @ Q / np.sqrt(d)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    A = e / e.sum(axis=-1, keepdims=True)
    return A, V @ A


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V

