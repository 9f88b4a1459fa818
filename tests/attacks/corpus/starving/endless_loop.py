"""starving: loop without end, and catch whatever interrupts it

score: 4
status: time_limit
"""


def softmax(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
