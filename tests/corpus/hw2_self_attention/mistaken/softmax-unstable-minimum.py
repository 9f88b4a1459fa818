"""loses: self_attention_numpy_large, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v



def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[1])
    e = np.exp(s - s.min(axis=1, keepdims=True))
    A = e / e.sum(axis=1, keepdims=True)
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = torch.einsum("id,jd->ij", Q, K) / W_k.shape[1] ** 0.5
    powers = (s - s.mean(1, keepdim=True)).exp()
    return powers / powers.sum(1, keepdim=True) @ V
