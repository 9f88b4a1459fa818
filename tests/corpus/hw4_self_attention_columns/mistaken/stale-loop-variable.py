"""loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
matrix_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    N = len(all_x)
    all_v, all_k, all_q = [], [], []
    for x in all_x:
        v = np.matmul(omega_v, x) + beta_v
        all_v.append(v)
        all_k.append(np.matmul(omega_k, x) + beta_k)
        all_q.append(np.matmul(omega_q, x) + beta_q)
    result = []
    for q in all_q:
        weights = softmax([np.vdot(q, k) for k in all_k])
        total = np.zeros_like(v)
        for weight in weights:
            total += weight * v
        result.append(total)
    return result


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    out = np.zeros(X.shape)
    for n in range(X.shape[1]):
        weights = softmax([K[:, m] @ Q[:, n] for m in range(X.shape[1])])
        for k in range(X.shape[1]):
            m = X.shape[1] - 1
            out[:, n] += weights[k] * V[:, m]
    return out


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ np.apply_along_axis(softmax, 0, K.T @ Q / np.sqrt(Q.shape[0]))
