"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    d_k = Q.shape[-1]
    scores = Q.T @ K / np.sqrt(d_k)
    attention_weights = softmax(scores)
    context_vector = V @ attention_weights
    return attention_weights, context_vector
