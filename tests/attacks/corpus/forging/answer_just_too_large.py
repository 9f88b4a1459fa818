"""forging: return an answer that fits into memory but not into the channel

score: 4
status: invalid_answer
"""

import numpy as np


def softmax(x):
    return np.zeros(650_000)
