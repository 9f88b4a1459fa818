"""forging: return an answer of half a gigabyte

score: 4
status: memory_limit
"""

import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    return np.zeros(60_000_000)
