"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, attention_output_published,
attention_output_sizes, attention_output_unchanged"""
import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)


def softmax(x):
    exponentials = np.exp(x)
    shares = exponentials / exponentials.sum()
    return x


def attention_output(attention_weights, V):
    output = np.copy(attention_weights)
    for row in output:
        row = row @ V
    return output


def attention_flow(Q, K, V):
    scores = Q @ K.T
    scaled = scores / np.sqrt(K.shape[-1])
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return scores, scaled, weights, weights @ V
