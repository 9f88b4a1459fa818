"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def attend(Q, K, V):
    e = np.exp(np.einsum("bdn,bdm->bnm", K, Q) / np.sqrt(Q.shape[1]))
    return V @ (e / e.sum(axis=1, keepdims=True))


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    head_1 = attend(omega_q1 @ X + beta_q1, omega_k1 @ X + beta_k1, omega_v1 @ X + beta_v1)
    head_2 = attend(omega_q2 @ X + beta_q2, omega_k2 @ X + beta_k2, omega_v2 @ X + beta_v2)
    return omega_c @ np.concatenate((head_1, head_2), axis=1)
