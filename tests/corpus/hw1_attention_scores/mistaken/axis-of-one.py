"""loses: qk_scores_published, softmax_published, attention_output_published"""
import numpy as np


def qk_scores(Q, K):
    # a batch of one
    return np.einsum("bid,bjd->bij", Q[None], K[None])


def scale_scores(scores, d_k):
    return scores * d_k**-0.5


def softmax(x):
    x = x[..., None]
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def attention_output(attention_weights, V):
    return np.einsum("bij,bjd->bid", attention_weights[None], V[None])


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)[0]
    t = scale_scores(s, K.shape[1])
    p = softmax(t)[:, :, 0]
    return s, t, p, attention_output(p, V)[0]
