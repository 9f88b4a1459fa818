"""loses: self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    return np.dot(X, W_q), np.dot(X, W_k), np.dot(X, W_v)


def self_attention_numpy(X, W_q, W_k, W_v):
    d_k = X.shape[1]  # dimension of the word embeddings
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = np.dot(Q, K.T) / np.sqrt(d_k)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention_weights = scores / scores.sum(axis=-1, keepdims=True)
    return attention_weights, np.dot(attention_weights, V)


def self_attention_torch(X, W_q, W_k, W_v):
    d_k = X.shape[1]
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    scores = Q @ K.T / torch.sqrt(torch.tensor(float(d_k)))
    return F.softmax(scores, dim=-1) @ V
