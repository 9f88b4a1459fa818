"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    X_prime = X.copy()
    for n in range(X.shape[1]):
        q = omega_q1 @ X[:, n]
        k = omega_k1 @ X[:, n]
    return X_prime
