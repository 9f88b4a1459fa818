import numpy as np
from functools import reduce


def softmax_cols(data_in):
    e = np.exp(data_in - np.maximum.reduce(data_in))
    return e / reduce(np.add, e)


def multihead_scaled_self_attention(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    # project once for all heads, then cut into pieces
    all_omega = np.vstack((omega_q1, omega_q2, omega_k1, omega_k2, omega_v1, omega_v2))
    all_beta = np.vstack((beta_q1, beta_q2, beta_k1, beta_k2, beta_v1, beta_v2))
    q1, q2, k1, k2, v1, v2 = np.split(all_omega @ X + all_beta, 6)
    root = np.sqrt(len(q1))
    weighted = [v @ softmax_cols(k.T @ (q / root)) for q, k, v in ((q1, k1, v1), (q2, k2, v2))]
    return omega_c @ np.concatenate(weighted)
