"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    d_k, _ = Q.shape
    S = np.einsum("id,jd->ij", Q, K) * (1 / np.sqrt(d_k))
    A = softmax(S)
    return A, A @ V
