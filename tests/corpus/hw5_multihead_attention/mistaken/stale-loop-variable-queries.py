"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    queries, keys, values = [], [], []
    for number in (1, 2):
        wv, wq, wk = (omega_v1, omega_q1, omega_k1) if number == 1 else (omega_v2, omega_q2, omega_k2)
        bv, bq, bk = (beta_v1, beta_q1, beta_k1) if number == 1 else (beta_v2, beta_q2, beta_k2)
        query = wq.dot(X) + bq
        queries.append(query)
        keys.append(wk.dot(X) + bk)
        values.append(wv.dot(X) + bv)
    stacked = []
    for key, value in zip(keys, values):
        stacked.extend(value @ softmax_cols(key.T @ query / np.sqrt(query.shape[0])))
    return omega_c @ np.array(stacked)
