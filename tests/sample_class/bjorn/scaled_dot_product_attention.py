import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)


def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights, weights @ V
