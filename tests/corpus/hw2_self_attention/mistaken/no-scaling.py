"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention = e / e.sum(axis=-1, keepdims=True)
    return attention, attention @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T
    attention = F.softmax(scores, dim=-1)
    return attention @ V
