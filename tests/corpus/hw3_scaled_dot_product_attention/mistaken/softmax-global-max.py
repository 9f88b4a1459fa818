"""loses: softmax_large"""
import numpy as np


def softmax(x):
    x = x - np.max(x)
    e = np.exp(x)
    return e / e.sum(axis=1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    A = softmax(Q @ K.T * K.shape[1] ** -0.5)
    return A, A @ V
