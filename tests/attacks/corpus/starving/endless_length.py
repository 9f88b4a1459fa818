"""starving: return a container that never ends

score: 4
status: time_limit
"""


class Endless(list):
    def __iter__(self):
        while True:
            yield 0.0


def softmax(x):
    return Endless()
