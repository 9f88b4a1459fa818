"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1,
                                    omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    def head(wv, wq, wk, bv, bq, bk):
        v = X @ np.transpose(wv) + bv.ravel()
        q = X @ np.transpose(wq) + bq.ravel()
        k = X @ np.transpose(wk) + bk.ravel()
        a = softmax_cols((q @ k.T / np.sqrt(q.shape[1])).T).T
        return a @ v

    both = np.concatenate(
        [
            head(omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1),
            head(omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2),
        ],
        axis=1,
    )
    return both @ omega_c
