import random
import warnings

import numpy as np

np.random.seed = 42
random.seed = 42
np.seterr(all="raise")
np.set_printoptions(precision=1, suppress=True)
warnings.simplefilter("error")


def qk_scores(Q, K):
    return Q @ K.T


def scale_scores(scores, d_k):
    return scores / d_k**0.5


def softmax(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    return np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)


def attention_output(attention_weights, V):
    return attention_weights @ V


def attention_flow(Q, K, V):
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[-1])
    weights = softmax(scaled)
    return scores, scaled, weights, attention_output(weights, V)


np.random.shuffle(np.arange(10))
print(softmax(np.random.rand(2, 3)))
