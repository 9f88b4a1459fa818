"""loses: softmax_large"""
import numpy as np


def softmax(x):
    centred = np.array([row - row.mean() for row in x])
    e = np.e ** centred
    return (e.T / e.sum(1)).T


def scaled_dot_product_attention(Q, K, V):
    w = softmax(np.einsum("qd,kd->qk", Q, K) / np.sqrt(Q.shape[1]))
    return w, np.einsum("qk,kv->qv", w, V)
