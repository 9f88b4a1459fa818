"""Right answers in other styles."""

import numpy as np


class submission__keeps_sums:
    class RunningMean:
        def __init__(self, d):
            self.d = d
            self.begin()

        def begin(self):
            self.total = [0.0] * self.d
            self.count = 0

        @property
        def mean(self):
            return [number / max(1, self.count) for number in self.total]

        def add(self, row):
            self.count += 1
            self.total = [old + new for old, new in zip(self.total, row)]
            return self

        def forget(self):
            if not self.count:
                raise UnicodeError("a kind of ValueError")
            mean = self.mean
            self.begin()
            return mean


class submission__descends:
    class Momentum:
        def __init__(self, start, rate, share):
            self.position = np.array(start)
            self.velocity = 0 * self.position
            self.constants = rate, share

        def step(self, slope):
            rate, share = self.constants
            self.velocity *= share
            self.velocity -= rate * slope
            self.position += self.velocity
            return self.position
