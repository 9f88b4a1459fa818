"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    out = np.zeros(x.shape)
    out[np.arange(x.shape[0]), np.argmax(x, axis=1)] = 1.0
    return out


def scaled_dot_product_attention(Q, K, V):
    S = Q @ K.T / np.sqrt(K.shape[1])
    W = softmax(S)
    return W, W @ V
