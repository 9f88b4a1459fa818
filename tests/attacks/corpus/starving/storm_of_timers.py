"""starving: interrupt itself a million times a second

score: 4
status: graded
"""

import signal


def qk_scores(Q, K):
    return Q @ K.T


def storm(*args):
    signal.setitimer(signal.ITIMER_VIRTUAL, 1e-6)


signal.signal(signal.SIGVTALRM, storm)
storm()
