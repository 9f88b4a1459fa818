"""starving: start threads without end, each with a large stack

score: 4
status: graded
"""

import threading
import time

threading.stack_size(64 << 20)


def qk_scores(Q, K):
    try:
        for _ in range(10_000):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        print("GOT ten thousand threads")
    except (RuntimeError, MemoryError) as error:
        print(error)
    return Q @ K.T
