import numpy as np


def softmax(x, axis=-1):
    x = x - np.expand_dims(x.max(axis=axis), axis)
    e = np.exp(x)
    return e / np.expand_dims(e.sum(axis=axis), axis)


def scaled_dot_product_attention(Q, K, V, mask=None):
    # works for (..., n, d) too
    scores = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    attn = softmax(scores)
    return attn, np.einsum("...ij,...jd->...id", attn, V)
