"""loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def scale_scores(scores, d_k):
    return np.true_divide(scores, d_k ** 0.5)


def softmax(x):
    x = np.array(x, dtype=float)
    for i in range(x.shape[0]):
        x[i] = np.exp(x[i] - x[i].max())
        x[i] = x[i] / x[i].sum()
    return x


def attention_output(attention_weights, V):
    return np.tensordot(attention_weights, V, axes=1)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[1])
    hidden = np.triu(np.ones_like(scaled), k=1) == 1
    visible = scaled.copy()
    visible[hidden] = -np.inf
    weights = softmax(visible)
    return scores, scaled, weights, attention_output(weights, V)
