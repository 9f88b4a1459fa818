import numpy as np


def softmax(x):
    x = np.asarray(x, dtype=np.float32)
    e = np.exp(x - x.max(1)[:, None])
    return e / e.sum(1)[:, None]


def scaled_dot_product_attention(Q, K, V):
    Q, K, V = (np.asarray(a, dtype="float32") for a in (Q, K, V))
    A = softmax(Q.dot(K.T) / np.sqrt(np.float32(K.shape[1])))
    return A, A.dot(V)
