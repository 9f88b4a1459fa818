"""loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def attend(V, Q, K):
    N = Q.shape[1]
    out = np.zeros_like(V)
    for n in range(N):
        seen = K[:, : n + 1].T @ Q[:, n]
        weights = np.zeros(N)
        weights[: n + 1] = softmax(seen)
        out[:, n] = V @ weights
    return out


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return attend(omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    Q = omega_q @ X + beta_q
    return attend(omega_v @ X + beta_v, Q / np.sqrt(len(Q)), omega_k @ X + beta_k)


def self_attention_per_token(all_x, *p):
    out = self_attention(np.hstack(all_x), *p)
    return [out[:, [n]] for n in range(out.shape[1])]

