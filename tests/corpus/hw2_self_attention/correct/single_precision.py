import numpy as np
import torch
import torch.nn.functional as F

f32 = np.float32


def project_qkv(X, W_q, W_k, W_v):
    X = X.astype(f32)
    return [X @ W_q.astype(f32), X @ W_k.astype(f32), X @ W_v.astype(f32)]


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / f32(np.sqrt(K.shape[1]))
    scores = np.exp(scores - np.amax(scores, axis=1, keepdims=True))
    scores = scores / np.sum(scores, axis=1, keepdims=True)
    return [scores, scores @ V]


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = [F.linear(X, W.T) for W in (W_q, W_k, W_v)]
    return F.softmax(Q @ K.T / K.size(1) ** 0.5, dim=1) @ V
