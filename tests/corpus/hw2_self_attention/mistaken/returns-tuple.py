"""loses: self_attention_torch_published"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    z = Q @ K.T / np.sqrt(K.shape[1])
    z = z - np.amax(z, axis=1, keepdims=True)
    a = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return a, a @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    a = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
    return a @ V,
