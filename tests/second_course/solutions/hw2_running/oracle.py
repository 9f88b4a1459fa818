"""An independent implementation, which keeps everything."""

import numpy as np


class RunningMean:
    def __init__(self, d):
        self.rows = []
        self.d = d

    def add(self, row):
        self.rows.append(row)

    @property
    def count(self):
        return len(self.rows)

    @property
    def mean(self):
        return np.mean(self.rows, axis=0) if self.rows else np.zeros(self.d)

    def forget(self):
        if not self.rows:
            raise ValueError
        mean = self.mean
        self.rows = []
        return mean


class Momentum:
    def __init__(self, start, rate, share):
        self.start = start
        self.rate = rate
        self.share = share
        self.slopes = []

    def step(self, slope):
        self.slopes.append(slope)
        return self.start + sum(map(self.move, range(len(self.slopes) + 1)))

    def move(self, number):
        """The velocity after so many steps: all slopes, the older ones shrunk more often."""
        total = np.zeros(len(self.start))
        for place in range(number):
            total -= self.rate * self.share ** (number - 1 - place) * self.slopes[place]
        return total

    @property
    def velocity(self):
        return self.move(len(self.slopes))
