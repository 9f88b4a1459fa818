"""starving: read from address zero

score: 4
status: crashed
"""

import ctypes


def softmax(x):
    ctypes.string_at(0)
