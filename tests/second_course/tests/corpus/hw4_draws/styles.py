"""Right answers in other styles: the same generator leads to other draws."""

import math

import numpy as np


def draw__cumulated(scores, temperature, rng):
    powers = [math.exp(score / temperature) for score in scores]
    number = rng.random() * sum(powers)
    for place, power in enumerate(powers):
        number -= power
        if number < 0:
            return place
    return len(scores) - 1


def draw__gumbel(scores, temperature, rng):
    return int(np.argmax(scores / temperature + rng.gumbel(size=len(scores))))


def wait__inverse(mean, rng):
    return -mean * math.log(1 - rng.random())
