"""loses: softmax_large"""
import numpy as np


def softmax(x):
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    d_k = Q.shape[-1]
    scores = Q @ K.T
    scaled_scores = scores / np.sqrt(d_k)
    attention_weights = softmax(scaled_scores)
    context = attention_weights @ V
    return attention_weights, context
