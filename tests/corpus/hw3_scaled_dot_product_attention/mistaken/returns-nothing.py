"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    attention_weights = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    context_vector = attention_weights @ V
    print(attention_weights)
    print(context_vector)
