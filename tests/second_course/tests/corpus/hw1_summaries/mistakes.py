"""Wrong answers in a student's style."""

import numpy as np


def trimmed_mean__in_place(values, cut):
    """loses: trimmed_mean_unchanged"""
    values.sort()
    return np.mean(values[cut : len(values) - cut])
