"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    return Q, K, V


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    exp_scores = np.exp(scores - np.max(scores, axis=0))
    weights = exp_scores / np.sum(exp_scores, axis=0)
    return weights, weights @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = F.softmax(Q @ K.T / np.sqrt(K.shape[1]), dim=0)
    return weights @ V
