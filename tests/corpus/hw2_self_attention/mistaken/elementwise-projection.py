"""loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes,
self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return np.multiply(X, W_q), np.multiply(X, W_k), np.multiply(X, W_v)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[1])
    e = np.exp(s - s.max(axis=1)[:, None])
    A = e / e.sum(axis=1)[:, None]
    return A, A @ V



def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = (X * W for W in (W_q, W_k, W_v))
    return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V
