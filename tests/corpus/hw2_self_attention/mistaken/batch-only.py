"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_published,
self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v



def self_attention_numpy(X, W_q, W_k, W_v):
    B, N, d_model = X.shape
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[2])
    e = np.exp(s - s.max(axis=2, keepdims=True))
    A = e / e.sum(axis=2, keepdims=True)
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q = torch.einsum("bnd,dk->bnk", X, W_q)
    K = torch.einsum("bnd,dk->bnk", X, W_k)
    V = torch.einsum("bnd,dv->bnv", X, W_v)
    return torch.softmax(Q @ K.permute(0, 2, 1) / K.shape[-1] ** 0.5, dim=2) @ V
