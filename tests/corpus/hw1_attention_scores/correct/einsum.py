import numpy as np


def qk_scores(Q, K):
    return np.einsum("ik,jk->ij", Q, K)


def scale_scores(scores, d_k):
    return np.einsum("ij,->ij", scores, d_k ** -0.5)


def softmax(x):
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return np.einsum("ij,i->ij", e, 1 / e.sum(-1))


def attention_output(attention_weights, V):
    return np.einsum("ij,jv->iv", attention_weights, V)


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    z = scale_scores(s, K.shape[1])
    a = softmax(z)
    return s, z, a, attention_output(a, V)
