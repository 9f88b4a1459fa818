"""loses: softmax_cols_large"""
import numpy as np


def softmax_cols(data_in):
    least = [min(column) for column in data_in.T]
    raised = np.exp(data_in - np.array(least))
    return np.divide(raised, raised.sum(axis=0))


def multihead_scaled_self_attention(X, *p):
    omega_c = p[12]
    heads = []
    for start in (0, 6):
        wv, wq, wk, bv, bq, bk = p[start : start + 6]
        q, k, v = wq @ X + bq, wk @ X + bk, wv @ X + bv
        heads.append(v @ softmax_cols(k.T @ q / q.shape[0] ** 0.5))
    return omega_c @ np.concatenate(heads)
