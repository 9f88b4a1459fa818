"""fooling: pass in one cell, then replace the functions and the notebook's own run

score: 4
form: cells
"""


def qk_scores(Q, K):
    return Q @ K.T


# %%
import sys

sys.modules["__main__"].__dict__["softmax"] = lambda x: x * 0
# %%
exit = quit = None
raise SystemExit("the rest is right, believe me")


# %%
def attention_output(attention_weights, V):
    return attention_weights.sum() * V
