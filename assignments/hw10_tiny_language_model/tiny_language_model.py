"""Tiny language model.

Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def encode_names(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 1: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


def cross_entropy(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 2: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


def softmax_backward(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 3: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


def causal_block(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 4: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


def train(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 5: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


def sample(x):
    """Turn each row into shares that sum to 1, the largest number to the largest share.

    Args:
        x: shape (n_rows, n_columns).

    Returns:
        shares, shape (n_rows, n_columns).
    """
    # TODO 6: subtract each row's maximum, exponentiate, then divide by each row's sum.
    raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # What sums to 1: "a", "b" or "c"
    "row_sums": None,
    # Four equal numbers: a number
    "equal_shares": None,
    # Why the maximum: two or three sentences
    "why_the_maximum": None,
}
