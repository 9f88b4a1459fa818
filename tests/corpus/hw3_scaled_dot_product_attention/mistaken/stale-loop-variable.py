"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
scaled_dot_product_attention_unchanged"""
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            table[i, j] = np.vdot(Q[i], K[j]) / K.shape[1] ** 0.5
    weights = softmax(table)
    context = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        for m in range(len(K)):
            context[i] += weights[i, m] * V[j]
    return weights, context
