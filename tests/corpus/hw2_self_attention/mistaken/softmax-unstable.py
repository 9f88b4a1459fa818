"""loses: self_attention_numpy_large"""
import numpy as np
import torch
import torch.nn.functional as F

words = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])


def project_qkv(X, W_q, W_k, W_v):
    return np.dot(X, W_q), np.dot(X, W_k), np.dot(X, W_v)


def softmax(scores):
    return np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)


def self_attention_numpy(X, W_q, W_k, W_v):
    d_k = W_k.shape[1]
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = np.dot(Q, K.T)
    scores /= np.sqrt(d_k)
    weights = softmax(scores)
    output = np.dot(weights, V)
    return weights, output


def self_attention_torch(X, W_q, W_k, W_v):
    d_k = W_k.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.T) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    weights = F.softmax(scores, dim=-1)
    return weights @ V


W = [np.random.rand(4, 4) for _ in range(3)]
print("weights and output:\n", *self_attention_numpy(words, *W))
