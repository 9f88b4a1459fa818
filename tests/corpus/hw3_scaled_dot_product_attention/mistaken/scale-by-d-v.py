"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    d_k = V.shape[-1]  # all three have the same width anyway
    weights = softmax(Q @ K.T / np.sqrt(d_k))
    return weights, weights @ V
