import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    # work with one token per column, hand back views with one token per row
    Xt = X.T
    return (W_q.T @ Xt).T, (W_k.T @ Xt).T, (W_v.T @ Xt).T


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    S = (K @ Q.T) / np.sqrt(K.shape[1])          # column j belongs to query j
    A = np.exp(S - S.max(axis=0))
    A = A / A.sum(axis=0)
    return A.T, (V.T @ A).T


def self_attention_torch(X, W_q, W_k, W_v):
    heads = [(X @ W).view(1, 1, X.shape[0], -1) for W in (W_q, W_k, W_v)]
    return F.scaled_dot_product_attention(*heads)[0, 0]
