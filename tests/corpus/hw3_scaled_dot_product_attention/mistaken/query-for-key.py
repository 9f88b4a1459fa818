"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    p = np.exp(x - np.max(x, axis=1, keepdims=True))
    return p / np.sum(p, axis=1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    scores = Q @ Q.T / np.sqrt(Q.shape[1])
    attention_weights = softmax(scores)
    return attention_weights, attention_weights @ V
