"""loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


class Flow:
    def __init__(self, Q):
        self.count = len(Q)

    def divide(self, scores):
        return scores / np.sqrt(self.count)


def qk_scores(Q, K):
    return np.matmul(Q, K.transpose())


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    t = Flow(Q).divide(s)
    w = softmax(t)
    return s, t, w, attention_output(w, V)
