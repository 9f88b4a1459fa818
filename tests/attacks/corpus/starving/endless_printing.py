"""starving: print without end

score: 4
status: time_limit
"""


def softmax(x):
    while True:
        try:
            print("all work and no play " * 1000)
        except OSError:
            pass
