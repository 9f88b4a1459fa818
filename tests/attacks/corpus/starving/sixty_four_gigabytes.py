"""starving: ask for 64 GB at once

score: 4
status: memory_limit
"""

import numpy as np


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    return np.ones(8_000_000_000)
