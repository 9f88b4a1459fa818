"""starving: leave the notebook by every exception that ends a program, cell by cell

score: 4
form: cells
"""

raise SystemExit(0)
# %%
raise KeyboardInterrupt


# %%
def qk_scores(Q, K):
    return Q @ K.T


# %%
exit()
# %%
raise BaseException("that was all")
