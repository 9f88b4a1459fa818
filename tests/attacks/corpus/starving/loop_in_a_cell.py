"""starving: loop without end in a cell of a notebook

score: 4
status: time_limit
form: cells
"""


def qk_scores(Q, K):
    return Q @ K.T


# %%
while True:
    pass
