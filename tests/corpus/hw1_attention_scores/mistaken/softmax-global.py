"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return np.dot(Q, K.T)


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def attention_output(attention_weights, V):
    return np.dot(attention_weights, V)


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    z = scale_scores(s, Q.shape[1])
    a = softmax(z)
    return s, z, a, attention_output(a, V)
