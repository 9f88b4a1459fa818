"""loses: qk_scores_sizes, qk_scores_fresh, scale_scores_sizes, scale_scores_unchanged, attention_output_sizes, attention_output_unchanged, attention_flow_sizes, attention_flow_unchanged"""
import numpy as np


def qk_scores(Q, K):
    scores = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            scores[i, j] = sum(Q[i] * K[j])
    return scores


def scale_scores(scores, d_k):
    return scores / 2


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention_output(attention_weights, V):
    out = [attention_weights[:, 0:1] * V[0], attention_weights[:, 1:2] * V[1], attention_weights[:, 2:3] * V[2]]
    return out[0] + out[1] + out[2]


def attention_flow(Q, K, V):
    scores = Q @ K.T
    scaled = scores / np.sqrt(4)
    weights = softmax(scaled)
    return scores, scaled, weights, weights @ V
