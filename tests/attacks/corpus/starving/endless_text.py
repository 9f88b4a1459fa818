"""starving: raise an error whose text takes for ever

score: 4
status: time_limit
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    raise Endless
