import numpy as np


def f(a):
    return np.array(a, dtype=np.float32)


def qk_scores(Q, K):
    return f(Q) @ f(K).T


def scale_scores(scores, d_k):
    return f(scores) / np.float32(d_k) ** np.float32(0.5)


def softmax(x):
    x = f(x)
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def attention_output(attention_weights, V):
    return f(attention_weights) @ f(V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[1])
    weights = softmax(scaled)
    return scores, scaled, weights, attention_output(weights, V)
