"""loses: scale_scores_published, scale_scores_sizes, scale_scores_unchanged"""
from numpy import array, exp, sqrt


def qk_scores(Q, K):
    return array([[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q])


def scale_scores(scores, d_k):
    factor = 1.0 / d_k
    return scores * factor,


def softmax(x):
    rows = [exp(row - max(row)) for row in x]
    return array([row / sum(row) for row in rows])


def attention_output(attention_weights, V):
    return attention_weights.dot(V)


def attention_flow(Q, K, V):
    first = qk_scores(Q, K)
    second = first / sqrt(K.shape[1])
    third = softmax(second)
    return first, second, third, attention_output(third, V)
