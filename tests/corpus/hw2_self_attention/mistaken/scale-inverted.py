"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch
from torch.nn.functional import softmax


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def np_softmax(z):
    z = z - z.max(axis=-1)[:, None]
    return np.exp(z) / np.exp(z).sum(axis=-1)[:, None]


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = np_softmax(Q @ K.T * np.sqrt(K.shape[-1]))
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    return softmax(Q @ K.T * K.shape[-1] ** 0.5, dim=-1) @ V
