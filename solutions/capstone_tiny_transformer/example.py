"""The worked example of the capstone: which keys a new token sees, at once and with a cache."""

import numpy as np

from autograder.authoring import whole_numbers

TOKENS = ("1: c", "2: a", "3: b", "4: |", "5: b", "6: a")
CACHED = 4


def example(reference):
    allowed = np.tri(len(TOKENS))
    new_rows = allowed[CACHED:]
    new_tokens = TOKENS[CACHED:]
    caption = "two new ones after a cache of four"
    yield whole_numbers("at_once", allowed, "six tokens at once", TOKENS)
    yield whole_numbers("with_cache", new_rows, caption, new_tokens)
