"""loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    return X @ W_q, X @ W_k, X @ W_v


def sigmoid(z):
    return 0.5 * (1 + np.tanh(z / 2))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    gate = sigmoid(Q @ K.T / np.sqrt(K.shape[1]))
    return gate, gate @ V


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    gate = torch.sigmoid(Q @ K.T / K.shape[1] ** 0.5)
    return gate @ V
