"""starving: raise an error whose text takes for ever

score: 4
status: time_limit
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def softmax(x):
    raise Endless
