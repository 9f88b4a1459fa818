"""loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, softmax_published, softmax_sizes,
softmax_large, softmax_unchanged, attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return np.matmul(Q, K.transpose(0, 2, 1))


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - x.max(axis=2, keepdims=True))
    return e / e.sum(axis=2, keepdims=True)


def attention_output(attention_weights, V):
    return np.matmul(attention_weights, V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[-1])
    weights = softmax(scaled)
    return scores, scaled, weights, attention_output(weights, V)
