"""loses: qk_scores_sizes, qk_scores_fresh"""
import numpy as np

Q = np.array([[1, 2, 3], [1, 2, 1]])
K = np.array([[1, 2, 1], [2, 1, 3]])
n_q = 2
table = Q @ K.T


def qk_scores(queries, keys):
    result = np.zeros((n_q, n_q))
    for i in range(n_q):
        for j in range(n_q):
            result[i, j] = Q[i] @ K[j]

    return result


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    scores = Q @ K.T
    scaled = scores / np.sqrt(K.shape[-1])
    weights = softmax(scaled)
    return scores, scaled, weights, weights @ V
