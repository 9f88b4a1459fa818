"""loses: scaled_dot_product_attention_weights, scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exps / np.sum(exps, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    attention_weights = softmax(Q @ K.T / np.sqrt(4))
    context = np.zeros((len(Q), 2))
    for i in range(len(Q)):
        for j in range(len(K)):
            context[i, 0] += attention_weights[i, j] * V[j, 0]
            context[i, 1] += attention_weights[i, j] * V[j, 1]
    return attention_weights, context
