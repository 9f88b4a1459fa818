"""loses: self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch
import torch.nn.functional as F

X = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])
d_k = X.shape[1]


def project_qkv(X, W_q, W_k, W_v):
    return np.dot(X, W_q), np.dot(X, W_k), np.dot(X, W_v)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = np.dot(Q, K.T) / np.sqrt(d_k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights, np.dot(weights, V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.T) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    return F.softmax(scores, dim=-1) @ V
