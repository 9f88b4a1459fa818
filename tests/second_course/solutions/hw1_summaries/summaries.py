"""Summaries.

Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def trimmed_mean(values, cut):
    """Return the mean of the values without the smallest and the largest ones.

    Args:
        values: n numbers in any order.
        cut: how many are left out at each end; 2 * cut is less than n.

    Returns:
        the mean, a number.
    """
    # TODO 1: sort a copy, leave out both ends, and take the mean of what is left.
    # BEGIN SOLUTION
    ordered = np.sort(values)
    kept = ordered[cut : len(ordered) - cut]
    return kept.mean()
    # END SOLUTION


def letter_counts(text):
    """Count the letters a to z of a text, whether they are small or capital.

    Args:
        text: a text of any length.

    Returns:
        counts, 26 whole numbers.
    """
    # TODO 2: find the place of each letter in the alphabet, and count the places.
    # BEGIN SOLUTION
    places = [ALPHABET.index(letter) for letter in text.lower() if letter in ALPHABET]
    return np.bincount(np.array(places, dtype=int), minlength=len(ALPHABET))
    # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["left_over"] = 6
# END SOLUTION
