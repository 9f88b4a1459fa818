import numpy as np


def qk_scores(Q, K):
    return np.matmul(Q, np.transpose(K))


def scale_scores(scores, d_k):
    return scores / d_k ** 0.5


def softmax(x):
    shifted = x - np.max(x, axis=1, keepdims=True)
    e = np.exp(shifted)
    return e / np.sum(e, axis=1, keepdims=True)


def attention_output(attention_weights, V):
    return np.dot(attention_weights, V)


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    scaled = scale_scores(s, Q.shape[1])
    a = softmax(scaled)
    return s, scaled, a, attention_output(a, V)
