"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
import numpy as np


def softmax_cols(data_in):
    out = np.empty(data_in.shape)
    for j, column in enumerate(data_in.T):
        powers = np.exp(column - column.max())
        out[:, j] = powers / powers.sum()
    return out


def multihead_scaled_self_attention(X, *p):
    heads = []
    for first in (6, 0):
        V, Q, K = (p[first + i] @ X + p[first + 3 + i] for i in range(3))
        heads.append((V @ softmax_cols(K.T @ Q / np.sqrt(Q.shape[0]))).T)
    return np.concatenate(heads, axis=1) @ p[12].T
