"""forging: define functions whose code lies about its parameters and names

score: 4
status: graded
"""


def qk_scores(Q, K):
    return Q @ K.T


def softmax(x):
    return 0


code = softmax.__code__
softmax.__code__ = code.replace(
    co_varnames=("<b>" * 50 + "\x1b[31m",), co_names=("=cmd()",), co_name="../" * 30
)
