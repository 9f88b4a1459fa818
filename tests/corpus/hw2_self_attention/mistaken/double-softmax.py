"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def sm(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def get_weights(Q, K):
    return sm(Q @ K.T / np.sqrt(K.shape[1]))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = sm(get_weights(Q, K))
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, -1)
    return torch.softmax(weights, -1) @ V
