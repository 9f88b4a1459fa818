"""loses: self_attention_numpy_published, self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import math
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X.dot(W_q), X.dot(W_k), X.dot(W_v)


def row_softmax(z):
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    q, k, v = project_qkv(X, W_q, W_k, W_v)
    attn = row_softmax(q.dot(k.T) / math.sqrt(k.shape[1]))
    return attn, attn.T.dot(v)


def self_attention_torch(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    attn = torch.softmax(q @ k.T / math.sqrt(k.shape[1]), dim=1)
    return attn.T @ v
