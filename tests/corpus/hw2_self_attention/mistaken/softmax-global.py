"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    S = Q @ K.T / K.shape[1] ** 0.5
    A = torch.softmax(S.flatten(), dim=0).reshape(S.shape)
    return A @ V
