"""loses: softmax_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    x -= x.max(axis=-1, keepdims=True)
    x = np.exp(x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[-1])
    weights = softmax(scaled.copy())
    return scores, scaled, weights, attention_output(weights, V)
