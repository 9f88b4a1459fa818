import numpy as np
import torch


def project_qkv(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    return Q, K, V


def log_softmax(S):
    m = S.max(axis=-1, keepdims=True)
    return S - (m + np.log(np.exp(S - m).sum(axis=-1, keepdims=True)))


def self_attention_numpy(X, W_q, W_k, W_v):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = np.exp(log_softmax(Q.dot(K.T) / np.sqrt(np.shape(K)[1])))
    return A, A.dot(V)


def self_attention_torch(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    S = Q @ K.t() / K.shape[1] ** 0.5
    A = torch.exp(S - torch.logsumexp(S, dim=1, keepdim=True))
    return A @ V
