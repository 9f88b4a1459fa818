"""loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes,
scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def project(X, omega, beta):
    return X @ omega + beta.T


def rows(scores):
    return np.array([softmax(row) for row in scores])


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = project(X, omega_v, beta_v), project(X, omega_q, beta_q), project(X, omega_k, beta_k)
    return rows(Q @ K.T) @ V


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = project(X, omega_v, beta_v), project(X, omega_q, beta_q), project(X, omega_k, beta_k)
    return rows(Q @ K.T / np.sqrt(K.shape[1])) @ V


def self_attention_per_token(all_x, wv, wq, wk, bv, bq, bk):
    values = np.hstack([wv @ x + bv for x in all_x])
    keys = np.hstack([wk @ x + bk for x in all_x])
    return [values @ softmax((keys.T @ (wq @ x + bq)).ravel())[:, None] for x in all_x]

