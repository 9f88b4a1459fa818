"""loses: attention_flow_sizes, attention_flow_unchanged"""
import numpy as np

seq_length = 3
d_k = 4


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
    scores = qk_scores(Q, K)
    scaled_scores = scale_scores(scores, d_k)
    attention_weights = softmax(scaled_scores)
    output = attention_output(attention_weights, V)
    return scores, scaled_scores, attention_weights, output
