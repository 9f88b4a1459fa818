"""starving: ignore the signal that comes before the end

score: 4
status: time_limit
"""

import signal
import threading

signal.signal(signal.SIGXCPU, signal.SIG_IGN)


def softmax(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for _ in range(8):
        threading.Thread(target=lambda: sum(range(10**18))).start()
