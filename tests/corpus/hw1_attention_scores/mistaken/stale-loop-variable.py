"""loses: attention_output_published, attention_output_sizes, attention_output_unchanged"""
import numpy as np


def qk_scores(Q, K):
    scores = np.empty((len(Q), len(K)))
    for i, query in enumerate(Q):
        for j, key in enumerate(K):
            scores[i, j] = query @ key
    return scores


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - np.amax(x, 1)[:, None])
    return e / np.sum(e, 1)[:, None]


def attention_output(attention_weights, V):
    rows = []
    for value in V:
        assert value.ndim == 1
    for weights in attention_weights:
        total = 0
        for weight in weights:
            total = total + weight * value
        rows.append(total)
    return np.stack(rows)


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    t = scale_scores(s, K.shape[1])
    w = softmax(t)
    return s, t, w, w.dot(V)
