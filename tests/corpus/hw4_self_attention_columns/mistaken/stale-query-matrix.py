"""loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    columns = []
    for n in range(X.shape[1]):
        query = omega_q @ X[:, n] + beta_q[:, 0]
    for m in range(X.shape[1]):
        keys = omega_k @ X + beta_k
        weights = softmax(keys.T @ query)
        columns.append((omega_v @ X + beta_v) @ weights)
    return np.array(columns).T


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    root = np.sqrt(X.shape[0])
    return self_attention(X, omega_v, omega_q / root, omega_k, beta_v, beta_q / root, beta_k)


def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
    values = np.hstack([wv @ x + bv for x in all_x])
    keys = np.hstack([wk @ x + bk for x in all_x])
    return [values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None] for x in all_x]

