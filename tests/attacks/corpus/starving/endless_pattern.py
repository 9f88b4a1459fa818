"""starving: match a pattern that takes for ever

score: 4
status: time_limit
"""

import re


def softmax(x):
    return re.match(r"(a+)+$", "a" * 64 + "b")
