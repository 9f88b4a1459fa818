"""starving: call itself without end

score: 4
status: graded
"""


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    return softmax(x)
