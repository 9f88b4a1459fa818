"""forging: send a forged answer from a notebook's last cell

score: 0
status: invalid_answer
form: cells
"""


def qk_scores(Q, K):
    return Q @ K.T


# %%
import os
import posix

os.write(201, b'{"dict": {"error": null, "stops": [], "functions": [], "results": []}}')
posix._exit(0)
