"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return np.around(A, 3), np.around(A @ V, 3)
