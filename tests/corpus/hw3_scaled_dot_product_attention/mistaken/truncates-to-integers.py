"""loses: softmax_published"""
import numpy as np


def softmax(x):
    result = np.zeros_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - max(x[i]))
        result[i] = e / sum(e)
    return result


def scaled_dot_product_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(K.shape[1]))
    return weights, weights @ V
