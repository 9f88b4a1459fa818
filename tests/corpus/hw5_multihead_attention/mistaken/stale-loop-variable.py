"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    parameters = [
        (omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
        (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
    ]
    for wv, wq, wk, bv, bq, bk in parameters:
        V, Q, K = wv @ X + bv, wq @ X + bq, wk @ X + bk
    heads = []
    for h in range(len(parameters)):
        heads.append(V @ softmax_cols(K.T @ Q / np.sqrt(K.shape[0])))
    return omega_c @ np.concatenate(heads)
