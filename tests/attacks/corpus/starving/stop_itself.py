"""starving: stop like a job in a shell, so that it never ends

score: 4
status: time_limit
"""

import os
import signal


def softmax(x):
    os.kill(os.getpid(), signal.SIGSTOP)
