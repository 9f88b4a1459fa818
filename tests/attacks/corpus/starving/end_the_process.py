"""starving: end the process in the middle of a call

score: 4
status: crashed
"""

import os


def softmax(x):
    os.abort()
