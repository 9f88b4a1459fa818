"""loses: matrix_published, matrix_sizes, matrix_unchanged"""
import numpy as np


def softmax(items):
    p = np.exp(np.subtract(items, np.max(items)))
    p /= p.sum()
    return p


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    out = []
    for query in (omega_q @ x + beta_q for x in all_x):
        a = softmax([((omega_k @ x + beta_k) * query).sum() for x in all_x])
        out.append(omega_v @ sum(share * x for share, x in zip(a, all_x)) + beta_v)
    return out


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    tokens = X.T
    Q, K = tokens @ omega_q.T + beta_q.T, tokens @ omega_k.T + beta_k.T
    A = np.array([softmax(row) for row in Q @ K.T])
    return A @ (tokens @ omega_v.T)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    tokens = X.T
    Q, K, V = (tokens @ w.T + b.T for w, b in ((omega_q, beta_q), (omega_k, beta_k), (omega_v, beta_v)))
    A = np.array([softmax(row) for row in Q @ K.T / np.sqrt(tokens.shape[1])])
    return (A @ V).T
