"""Draws.

Write plain NumPy. All chance comes from the generator that a function is given.
"""

import numpy as np


def draw(scores, temperature, rng):
    """Draw a place; the probability of place i is proportional to exp(scores[i] / temperature).

    Args:
        scores: n numbers.
        temperature: a positive number; the higher it is, the more equal are the probabilities.
        rng: a random generator of NumPy, np.random.default_rng(seed).

    Returns:
        the place, a whole number from 0 to n - 1.
    """
    # TODO 1: compute the probabilities, and draw with them.
    # BEGIN SOLUTION
    powers = np.exp((scores - scores.max()) / temperature)
    return rng.choice(len(scores), p=powers / powers.sum())
    # END SOLUTION


def wait(mean, rng):
    """Draw the time until the next letter arrives, which has an exponential distribution.

    Args:
        mean: the mean of the times.
        rng: a random generator of NumPy.

    Returns:
        the time, a number.
    """
    # TODO 2: a time is longer than t with the probability exp(-t / mean).
    # BEGIN SOLUTION
    return rng.exponential(mean)
    # END SOLUTION
