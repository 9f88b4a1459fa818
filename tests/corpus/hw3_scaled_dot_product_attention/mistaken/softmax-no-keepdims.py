"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published, scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1)


def scaled_dot_product_attention(Q, K, V):
    d_k = K.shape[1]
    attention_weights = softmax(Q @ K.T / np.sqrt(d_k))
    return attention_weights, attention_weights @ V
