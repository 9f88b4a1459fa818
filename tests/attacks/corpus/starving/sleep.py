"""starving: sleep for a year without using the processor

score: 4
status: time_limit
"""

import signal
import time


def softmax(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(3e7)
