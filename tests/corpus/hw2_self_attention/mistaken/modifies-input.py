"""loses: self_attention_numpy_unchanged"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    W_q /= np.sqrt(W_k.shape[1])  # scale once here instead of scaling all scores
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q / W_k.shape[1] ** 0.5, W_k, W_v)
    return torch.softmax(Q @ K.T, dim=1) @ V
