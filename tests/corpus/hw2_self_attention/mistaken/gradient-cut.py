"""loses: self_attention_torch_gradients"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = scores - scores.max(axis=1, keepdims=True)
    attention = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return attention, attention @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / K.shape[1] ** 0.5
    attention = F.softmax(scores.detach(), dim=1)  # detach, or printing it shows grad_fn
    return attention @ V
