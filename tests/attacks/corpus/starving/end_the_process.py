"""starving: end the process in the middle of a call

score: 4
status: crashed
"""

import os


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    os.abort()
