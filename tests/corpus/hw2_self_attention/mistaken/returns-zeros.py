"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    # TODO: fill these in
    weights = np.zeros((X.shape[0], X.shape[0]))
    output = np.zeros((X.shape[0], W_v.shape[1]))
    return weights, output


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    output = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V
    output = torch.zeros(X.shape[0], W_v.shape[1])
    return output
