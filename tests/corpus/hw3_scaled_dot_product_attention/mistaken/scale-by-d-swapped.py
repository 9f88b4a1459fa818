"""loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
import numpy as np


def softmax(x):
    x = x - np.amax(x, axis=1, keepdims=True)
    return np.exp(x - np.log(np.exp(x).sum(axis=1, keepdims=True)))


def scaled_dot_product_attention(Q, K, V):
    n_q, d_k = Q.shape
    context, weights = np.zeros((n_q, V.shape[1])), np.zeros((n_q, len(K)))
    for i in range(n_q):
        weights[i] = softmax((K @ Q[i] / d_k)[None, :])[0]
        context[i] = weights[i] @ V
    return [context, weights]
