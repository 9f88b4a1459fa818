"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    attention_weights = scores / scores.sum(axis=1, keepdims=True)
    output = attention_weights @ V
    print("weights", attention_weights)
    print("output", output)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    attention_weights = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
    return attention_weights @ V
