"""escaping: use the shell lines and magics of a notebook

score: 4
form: cells
"""

get_ipython().system("echo GOT; touch /tmp/@left@")
# %%
get_ipython().run_cell_magic("script", "bash", "echo GOT")
get_ipython().run_cell_magic("writefile", "/tmp/@left@", "x")


# %%
def qk_scores(Q, K):
    return Q @ K.T
