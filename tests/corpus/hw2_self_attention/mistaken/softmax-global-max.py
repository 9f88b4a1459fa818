"""loses: self_attention_numpy_large, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return np.matmul(X, W_q), np.matmul(X, W_k), np.matmul(X, W_v)


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = np.matmul(Q, np.transpose(K)) / np.sqrt(K.shape[1])
    scores = scores - np.max(scores)  # so that exp does not overflow
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
    return weights, np.matmul(weights, V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = torch.matmul(X, W_q), torch.matmul(X, W_k), torch.matmul(X, W_v)
    scores = torch.matmul(Q, K.t()) / K.shape[1] ** 0.5
    scores = scores - torch.max(scores)
    weights = torch.exp(scores) / torch.sum(torch.exp(scores), dim=1, keepdim=True)
    return torch.matmul(weights, V)
