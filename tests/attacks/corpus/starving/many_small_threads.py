"""starving: start as many tiny threads as the machine gives

score: 4
needs: own-user
"""

import threading
import time

threading.stack_size(32 << 10)


def qk_scores(Q, K):
    count = 0
    try:
        while count < 500:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            count += 1
        print("GOT", count)
    except (RuntimeError, MemoryError):
        print("stopped at", count)
    return Q @ K.T
