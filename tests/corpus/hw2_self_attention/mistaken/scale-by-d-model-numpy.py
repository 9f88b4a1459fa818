"""loses: self_attention_numpy_weights, self_attention_numpy_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    Q = X.dot(W_q)
    K = X.dot(W_k)
    V = X.dot(W_v)
    return Q, K, V


def rows_to_weights(s):
    s = s - np.max(s, axis=1, keepdims=True)
    return np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    n, d = X.shape
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    a = rows_to_weights(Q.dot(K.T) / d ** 0.5)
    return a, a.dot(V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv_torch(X, W_q, W_k, W_v)
    return torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])[0]


def project_qkv_torch(X, *weights):
    return [torch.matmul(X, w) for w in weights]
