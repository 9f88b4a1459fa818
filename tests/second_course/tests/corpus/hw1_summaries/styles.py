"""Right answers in other styles."""

import numpy as np


def trimmed_mean__loop(values, cut):
    ordered = sorted(values)
    total = 0.0
    for number in ordered[cut : len(ordered) - cut]:
        total += number
    return total / (len(values) - 2 * cut)


def letter_counts__count(text):
    small = text.lower()
    return np.array([small.count(letter) for letter in ALPHABET])
