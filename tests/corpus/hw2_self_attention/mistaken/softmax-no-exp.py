"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def normalize(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attention = normalize(Q @ K.T / np.sqrt(K.shape[-1]))
    return attention, attention @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attention = F.softmax(Q @ K.T / np.sqrt(K.shape[-1]), dim=-1)
    return attention @ V
