"""loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    out = V @ np.apply_along_axis(softmax, 0, K.T @ Q)
    return out.round(2)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    out = V @ np.apply_along_axis(softmax, 0, K.T @ Q / np.sqrt(Q.shape[0]))
    return np.array([["%.3f" % number for number in row] for row in out], dtype=float)


def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
    values = np.hstack([wv @ x + bv for x in all_x])
    keys = np.hstack([wk @ x + bk for x in all_x])
    return [np.round(values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None], 3) for x in all_x]

