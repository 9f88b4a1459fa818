"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    total = np.sum(x, axis=-1, keepdims=True)
    return x / total


def scaled_dot_product_attention(Q, K, V):
    scores = Q.dot(K.T) / np.sqrt(Q.shape[1])
    weights = softmax(scores)
    return weights, weights.dot(V)
