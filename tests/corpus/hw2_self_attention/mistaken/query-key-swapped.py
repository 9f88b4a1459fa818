"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = K @ Q.T / np.sqrt(Q.shape[-1])
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    attn = exps / exps.sum(-1, keepdims=True)
    return attn, attn @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attn = torch.softmax(K @ Q.T / Q.shape[-1] ** 0.5, dim=-1)
    return attn @ V
