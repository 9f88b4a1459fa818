"""loses: softmax_large"""
import numpy as np

qk_scores = lambda Q, K: np.inner(Q, K)
scale_scores = lambda scores, d_k: scores * d_k ** -0.5


def softmax(x):
    shifted = x - np.min(x, axis=1).reshape(-1, 1)
    powers = np.exp(shifted)
    return powers / np.sum(powers, axis=1).reshape(-1, 1)


attention_output = lambda attention_weights, V: np.dot(attention_weights, V)


def attention_flow(Q, K, V):
    plain = qk_scores(Q, K)
    small = scale_scores(plain, len(K[0]))
    shares = softmax(small)
    return plain, small, shares, attention_output(shares, V)
