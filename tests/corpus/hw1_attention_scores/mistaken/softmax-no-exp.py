"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return Q.dot(K.T)


def scale_scores(scores, d_k):
    return scores / d_k ** 0.5


def softmax(x):
    return x / np.sum(x, axis=1, keepdims=True)


def attention_output(attention_weights, V):
    return attention_weights.dot(V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, Q.shape[-1])
    attention = softmax(scaled)
    output = attention_output(attention, V)
    return scores, scaled, attention, output
