import numpy as np


def qk_scores(Q, K):
    return np.inner(Q, K)


def scale_scores(scores, d_k):
    return np.multiply(scores, 1.0 / np.sqrt(d_k))


def softmax(x):
    top = x.max(axis=1).reshape(len(x), 1)
    log_total = top + np.log(np.exp(x - top).sum(axis=1, keepdims=True))
    return np.exp(x - log_total)


def attention_output(attention_weights, V):
    return np.tensordot(attention_weights, V, axes=1)


def attention_flow(Q, K, V):
    steps = [qk_scores(Q, K)]
    steps.append(scale_scores(steps[-1], np.shape(K)[1]))
    steps.append(softmax(steps[-1]))
    steps.append(attention_output(steps[-1], V))
    return tuple(steps)
