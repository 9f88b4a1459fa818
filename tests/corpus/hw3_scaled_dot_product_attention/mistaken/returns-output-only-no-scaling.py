"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    z = x - x.max(1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    return softmax(Q @ K.T) @ V
