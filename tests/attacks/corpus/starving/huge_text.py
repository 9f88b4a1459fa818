"""starving: raise an error with a text of 60 MB, and print as much

score: 4
status: graded or time_limit
"""


def softmax(x):
    raise ValueError("x" * 60_000_000)


def scale_scores(scores, d_k):
    print("y" * 60_000_000)
