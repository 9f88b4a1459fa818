"""loses: self_attention_numpy_published"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attention = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    context = attention @ V
    return context, attention


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    return torch.softmax(Q @ K.T / K.shape[-1] ** 0.5, dim=-1) @ V
