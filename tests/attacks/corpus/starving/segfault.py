"""starving: read from address zero

score: 4
status: crashed
"""

import ctypes


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    ctypes.string_at(0)
