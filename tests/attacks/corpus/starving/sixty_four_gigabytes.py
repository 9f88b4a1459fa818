"""starving: ask for 64 GB at once

score: 4
status: memory_limit
"""

import numpy as np


def softmax(x):
    return np.ones(8_000_000_000)
