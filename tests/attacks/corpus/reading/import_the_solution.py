"""reading: import the reference solution and call it

score: 0
"""

import sys

sys.path.insert(0, "@root@/solutions/hw1_attention_scores")


def softmax(x):
    import cases

    print("GOT", cases.__file__)
    return cases.softmax(x)
