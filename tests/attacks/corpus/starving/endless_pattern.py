"""starving: match a pattern that takes for ever

score: 4
status: time_limit
"""

import re


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    return re.match(r"(a+)+$", "a" * 64 + "b")
