"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
import numpy as np


def softmax(x):
    m = np.max(x, axis=1)[:, None]
    s = np.exp(x - m)
    return s / np.sum(s, axis=1)[:, None]


def scaled_dot_product_attention(Q, K, V):
    scaling = np.sqrt(K.shape[1])
    a = softmax((Q @ K.T) * scaling)
    return a, a @ V
