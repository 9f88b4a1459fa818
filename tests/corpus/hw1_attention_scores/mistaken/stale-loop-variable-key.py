"""loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh"""
import numpy as np


def qk_scores(Q, K):
    n_q, n_k = len(Q), len(K)
    keys = []
    for j in range(n_k):
        key = K[j]
        keys.append(key)
    scores = [[0.0] * n_k for _ in range(n_q)]
    for i in range(n_q):
        for k in range(n_k):
            scores[i][k] = float(np.dot(Q[i], keys[j]))
    return np.array(scores)


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - np.amax(x, 1)[:, None])
    return e / np.sum(e, 1)[:, None]


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    s = Q @ K.T
    t = scale_scores(s, K.shape[1])
    w = softmax(t)
    return s, t, w, attention_output(w, V)
