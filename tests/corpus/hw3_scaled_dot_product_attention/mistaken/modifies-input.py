"""loses: scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    Q /= np.sqrt(K.shape[1])
    weights = softmax(Q @ K.T)
    return weights, weights @ V
