import numpy as np


def one_softmax(row):
    row = np.exp(row - row.max())
    return row / row.sum()


def softmax(x):
    return np.apply_along_axis(one_softmax, -1, x)


def attend(query, K, V):
    weights = one_softmax(K @ query / np.sqrt(query.size))
    return weights, weights @ V


def scaled_dot_product_attention(Q, K, V):
    pairs = [attend(query, K, V) for query in Q]
    return np.stack([w for w, _ in pairs]), np.vstack([c for _, c in pairs])
