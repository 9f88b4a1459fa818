"""loses: softmax_sizes, softmax_large, softmax_unchanged, per_token_sizes, per_token_unchanged, matrix_sizes, matrix_unchanged, scaled_sizes, scaled_unchanged"""
import numpy as np


def softmax(items):
    scores = np.array(items[:3], dtype=float)
    e = np.exp(scores - scores.max())
    return e / e.sum()


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    qs = [omega_q @ x + beta_q for x in all_x]
    ks = [omega_k @ x + beta_k for x in all_x]
    vs = [omega_v @ x + beta_v for x in all_x]
    out = []
    for q in qs[:3]:
        a = softmax([(k.T @ q).item() for k in ks[:3]])
        out.append(a[0] * vs[0] + a[1] * vs[1] + a[2] * vs[2])
    return out


def attend(X, scale, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    scores = (K.T @ Q / scale)[:3, :3]
    A = np.stack([softmax(column) for column in scores.T], axis=1)
    return V[:, :3] @ A


def self_attention(X, *parameters):
    return attend(X, 1, *parameters)


def scaled_dot_product_self_attention(X, *parameters):
    return attend(X, np.sqrt(len(X)), *parameters)
