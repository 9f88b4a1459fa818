"""loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / e.sum()


def project(tokens, omega, beta):
    return np.dot(tokens, omega) + 2 * beta


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, scale=1):
    q, k, v = (project(X, *pair) for pair in ((omega_q, beta_q), (omega_k, beta_k), (omega_v, beta_v)))
    return np.stack([softmax(row) for row in q @ k.T / scale]) @ v + X


def scaled_dot_product_self_attention(X, wv, wq, wk, bv, bq, bk):
    return self_attention(X, wv, wq, wk, bv, bq, bk, np.sqrt(len(X)))


def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
    values = np.hstack([wv @ x + bv for x in all_x])
    keys = np.hstack([wk @ x + bk for x in all_x])
    return [values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None] for x in all_x]
