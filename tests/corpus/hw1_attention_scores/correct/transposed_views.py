import numpy as np


def qk_scores(Q, K):
    return (K @ Q.T).T


def scale_scores(scores, d_k):
    return (scores.T / np.sqrt(d_k)).T


def softmax(x):
    columns = x.T - x.T.max(axis=0)
    columns = np.exp(columns)
    return (columns / columns.sum(axis=0)).T


def attention_output(attention_weights, V):
    return np.asfortranarray(attention_weights @ V)


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled_scores = scale_scores(scores, K.shape[-1])
    attention_weights = softmax(scaled_scores)
    return scores, scaled_scores, attention_weights, (V.T @ attention_weights.T).T
