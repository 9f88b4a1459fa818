"""loses: self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[1])
    s = np.exp(s - s.max(axis=1, keepdims=True))
    s = s / s.sum(axis=1, keepdims=True)
    return s, s @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = torch.exp(Q @ K.T / K.shape[1] ** 0.5)
    s = s / s.sum(dim=1, keepdim=True)
    return s @ V
