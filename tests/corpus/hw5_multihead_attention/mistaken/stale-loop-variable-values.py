"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    weights = []
    for wv, wq, wk, bv, bq, bk in (
        (omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
        (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
    ):
        Q, K = wq @ X + bq, wk @ X + bk
        weights.append(softmax_cols(K.T @ Q / len(Q) ** 0.5))
    outputs = [(wv @ X + bv) @ A for A in weights]
    return omega_c @ np.vstack(outputs)
