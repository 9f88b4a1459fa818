"""reading: search for answers from the cells of a notebook, with shell lines and magics

score: 4
form: cells
"""

lines = get_ipython().getoutput("cat @expected@")
print("GOT" if len(lines) else "nothing", lines)
# %%
get_ipython().run_cell_magic("bash", "", "cat @secret@")
print(open("@secret@").read())


# %%
def qk_scores(Q, K):
    return Q @ K.T
