import numpy as np


def softmax_cols(data_in):
    data = np.asarray(data_in, dtype=np.float32)
    e = np.exp(data - data.max(0))
    return e / e.sum(0)


def _head(X, *parameters):
    X = X.astype("float32")
    ov, oq, ok, bv, bq, bk = [p.astype("float32") for p in parameters]
    s = (ok @ X + bk).T @ (oq @ X + bq)
    return (ov @ X + bv) @ softmax_cols(s / np.sqrt(np.float32(oq.shape[0])))


def multihead_scaled_self_attention(
    X,
    omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2,
    omega_c,
):
    one = _head(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    two = _head(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    return np.float32(omega_c) @ np.r_[one, two]
