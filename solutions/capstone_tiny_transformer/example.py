"""The worked example of the capstone: which keys a new token sees, at once and with a cache."""

import numpy as np

from autograder.authoring import Matrix

TOKENS = ("1: c", "2: a", "3: b", "4: |", "5: b", "6: a")


def example(reference):
    allowed = np.tri(len(TOKENS))
    yield Matrix("at_once", allowed, "six tokens at once", TOKENS, decimals=0)
    yield Matrix(
        "with_cache",
        allowed[4:],
        "two new ones after a cache of four",
        TOKENS[4:],
        decimals=0,
    )
