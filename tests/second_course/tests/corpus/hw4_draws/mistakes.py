"""Wrong answers in a student's style."""

import random

import numpy as np


def draw__seeded(scores, temperature, rng):
    """loses: draw_shares, draw_generator"""
    np.random.seed(0)
    powers = np.exp(scores / temperature)
    return np.random.choice(len(scores), p=powers / powers.sum())


def draw__one_too_high(scores, temperature, rng):
    """loses: draw_shares"""
    powers = np.exp(scores / temperature)
    return 1 + rng.choice(len(scores), p=powers / powers.sum())


def wait__python(mean, rng):
    """loses: wait_generator"""
    return random.expovariate(1 / mean)


def wait__normal(mean, rng):
    """loses: wait_times"""
    return abs(rng.normal(mean, mean / 3))
