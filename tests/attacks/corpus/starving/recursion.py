"""starving: call itself without end

score: 4
status: graded
"""


def softmax(x):
    return softmax(x)
