import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    W = np.concatenate([W_q, W_k, W_v], axis=1)
    d = W_q.shape[1]
    return tuple(np.split(X @ W, [d, 2 * d], axis=1))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    # the scale goes into the query
    Q = Q / np.sqrt(Q.shape[1])
    S = np.inner(Q, K)
    E = np.exp(S - np.max(S, axis=1)[:, np.newaxis])
    A = np.apply_along_axis(lambda row: row / row.sum(), 1, E)
    return A, A @ V


def self_attention_torch(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = X.double(), W_q.double(), W_k.double(), W_v.double()
    S = (X @ W_q) @ (X @ W_k).T / W_k.shape[1] ** 0.5
    E = torch.exp(S - S.amax(dim=1, keepdim=True))
    return E / E.sum(dim=1, keepdim=True) @ (X @ W_v)
