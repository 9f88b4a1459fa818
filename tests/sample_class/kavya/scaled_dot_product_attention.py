import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1)[:, np.newaxis])
    return e / e.sum(axis=-1)[:, np.newaxis]


def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights, weights @ V
