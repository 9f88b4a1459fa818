"""loses: multihead_published"""
import numpy as np


def softmax_cols(data_in):
    shifted = data_in - np.max(data_in, axis=0)
    e = np.exp(shifted)
    return e / np.sum(e, axis=0)


def multihead_scaled_self_attention(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    H_D = omega_q1.shape[0]

    # head 1
    Q1 = omega_q1 @ X + beta_q1
    K1 = omega_k1 @ X + beta_k1
    V1 = omega_v1 @ X + beta_v1
    attention1 = softmax_cols(K1.T @ Q1 / np.sqrt(H_D))
    head1 = V1 @ attention1

    # head 2
    Q2 = omega_q2 @ X + beta_q2
    K2 = omega_k2 @ X + beta_k2
    V2 = omega_v2 @ X + beta_v2
    attention2 = softmax_cols(K2.T @ Q2 / np.sqrt(H_D))
    head2 = V2 @ attention2

    heads = np.vstack((head1, head2))
    X_prime = omega_c @ heads
    return X_prime, attention1, attention2
