"""loses: softmax_unchanged"""
import numpy as np


def softmax(x):
    x -= np.max(x, axis=-1, keepdims=True)
    exp_x = np.exp(x)
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    d_k = K.shape[-1]
    weights = softmax(Q @ K.T / np.sqrt(d_k))
    return weights, weights @ V
