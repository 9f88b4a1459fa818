"""fooling: let time run backwards, so that no limit is ever reached

score: 4
status: time_limit
"""

import signal
import time

time.perf_counter = time.time = time.monotonic = lambda: -1e300
signal.setitimer = lambda *args: None


def softmax(x):
    while True:
        pass
