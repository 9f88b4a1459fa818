"""starving: ignore every signal that can be ignored, then compute

score: 4
status: time_limit
"""

import signal

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def softmax(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        pass
