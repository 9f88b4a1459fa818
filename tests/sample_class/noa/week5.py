import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    heads = []
    for ov, oq, ok, bv, bq, bk in (
        (omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
        (omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
    ):
        Q, K, V = oq @ X + bq, ok @ X + bk, ov @ X + bv
        heads.append(V @ softmax_cols(K.T @ Q / np.sqrt(len(Q))))
    return omega_c @ np.concatenate(heads)
