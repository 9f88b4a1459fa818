"""loses: attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    Q /= np.sqrt(K.shape[1])
    scaled = qk_scores(Q, K)
    scores = scaled * np.sqrt(K.shape[1])
    weights = softmax(scaled)
    return scores, scaled, weights, weights @ V
