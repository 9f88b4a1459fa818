"""loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    v = np.dot(X, omega_v) + beta_v
    q = np.dot(X, omega_q) + beta_q
    k = np.dot(X, omega_k) + beta_k
    s = k.T.dot(q)
    for n in range(s.shape[1]):
        s[:, n] = softmax(s[:, n])
    return v.dot(s)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    v = np.dot(X, omega_v) + beta_v
    q = np.dot(X, omega_q) + beta_q
    k = np.dot(X, omega_k) + beta_k
    s = k.T.dot(q) / q.shape[0] ** 0.5
    for n in range(s.shape[1]):
        s[:, n] = softmax(s[:, n])
    return v.dot(s)


def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
    values = np.hstack([wv @ x + bv for x in all_x])
    keys = np.hstack([wk @ x + bk for x in all_x])
    return [values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None] for x in all_x]

