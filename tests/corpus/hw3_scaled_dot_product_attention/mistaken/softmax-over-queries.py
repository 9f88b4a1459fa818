"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    e_x = np.exp(x - np.max(x, axis=0))
    return e_x / e_x.sum(axis=0)


def scaled_dot_product_attention(Q, K, V):
    d_k = Q.shape[-1]
    scores = np.dot(Q, K.T) / np.sqrt(d_k)
    attention_weights = softmax(scores)
    return attention_weights, np.dot(attention_weights, V)
