"""starving: wait for a line from the keyboard, then for a lock that it holds itself

score: 4
status: time_limit
"""

import threading


def scale_scores(scores, d_k):
    return input("your move? ")


def softmax(x):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
