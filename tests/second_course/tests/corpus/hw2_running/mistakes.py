"""Wrong answers in a student's style."""

import numpy as np


class submission__in_place:
    """loses: Momentum_unchanged"""

    class Momentum:
        def __init__(self, start, rate, share):
            self.position, self.velocity = start, np.zeros(len(start))
            self.rate, self.share = rate, share

        def step(self, slope):
            self.velocity = self.share * self.velocity - self.rate * slope
            self.position += self.velocity
            return self.position
