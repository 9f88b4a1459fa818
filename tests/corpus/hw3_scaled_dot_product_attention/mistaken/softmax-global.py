"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    ex = np.exp(x - np.max(x))
    return ex / np.sum(ex)


def scaled_dot_product_attention(Q, K, V):
    dk = K.shape[-1]
    w = softmax(np.matmul(Q, K.T) / np.sqrt(dk))
    return w, np.matmul(w, V)
