"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    best = scores.argmax(axis=1)
    weights = np.eye(len(K))[best]
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = F.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
    return weights @ V
