import numpy as np


def softmax(x):
    cols = x.T
    cols = np.exp(cols - cols.max(axis=0))
    return (cols / cols.sum(axis=0)).T          # a view, not contiguous


def scaled_dot_product_attention(Q, K, V):
    A = softmax((K @ Q.T).T / K.shape[1] ** .5)
    return np.asfortranarray(A), (V.T @ A.T).T
