import numpy as np


def softmax_cols(data_in):
    top = data_in.max(axis=0)
    log_total = top + np.log(np.exp(data_in - top).sum(axis=0))
    return np.exp(data_in - log_total)


def head(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    V = omega_v @ X + beta_v
    return V @ softmax_cols(K.T @ Q / np.sqrt(K.shape[0]))


# omega_c acts on the two halves separately, so no stacking is needed
def multihead_scaled_self_attention(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    left, right = np.split(omega_c, 2, axis=1)
    upper = left @ head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    lower = right @ head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return upper + lower
