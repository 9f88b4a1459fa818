"""starving: loop without end in one function; the others are right

score: 4
status: time_limit
"""


def softmax(x):
    while True:
        pass
