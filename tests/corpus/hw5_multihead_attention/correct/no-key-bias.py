import numpy as np


def softmax_cols(data_in):
    e = np.exp(data_in - data_in.max(axis=0))
    return e / e.sum(axis=0)


def attention_head(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    # beta_k adds the same number to a whole column of scores; softmax_cols takes it away again
    scores = (omega_k @ X).T @ (omega_q @ X + beta_q)
    return (omega_v @ X + beta_v) @ softmax_cols(scores / np.sqrt(omega_k.shape[0]))


def multihead_scaled_self_attention(X, ov1, oq1, ok1, bv1, bq1, bk1, ov2, oq2, ok2, bv2, bq2, bk2, omega_c):
    head_1 = attention_head(X, ov1, oq1, ok1, bv1, bq1, bk1)
    head_2 = attention_head(X, ov2, oq2, ok2, bv2, bq2, bk2)
    return omega_c @ np.append(head_1, head_2, axis=0)
