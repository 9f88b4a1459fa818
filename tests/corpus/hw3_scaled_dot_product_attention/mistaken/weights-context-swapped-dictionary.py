"""loses: scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    shifted = np.subtract(x, np.amax(x, axis=1)[:, np.newaxis])
    numerators = np.exp(shifted)
    return np.divide(numerators, np.add.reduce(numerators, axis=1)[:, np.newaxis])


def scaled_dot_product_attention(Q, K, V):
    out = {}
    w = softmax(np.inner(Q, K) * K.shape[1] ** -0.5)
    out["context"] = np.matmul(w, V)
    out["attention"] = w
    return out
