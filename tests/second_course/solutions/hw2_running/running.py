"""Running numbers.

Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


class RunningMean:
    """The mean of all rows so far; the rows themselves are not kept.

    Attributes:
        count: how many rows were added.
        mean: their mean, shape (d,); zeros at the beginning.
    """

    def __init__(self, d):
        self.count = 0
        self.mean = np.zeros(d)

    def add(self, row):
        """Add one row of shape (d,)."""
        # TODO 1: count the row, and move the mean towards it by its share.
        # BEGIN SOLUTION
        self.count += 1
        self.mean = self.mean + (row - self.mean) / self.count
        # END SOLUTION

    def forget(self):
        """Take the last count back to 0, and return the mean until now.

        Raises:
            ValueError: no row was added.
        """
        # TODO 2: raise, or begin again and return the old mean.
        # BEGIN SOLUTION
        if self.count == 0:
            raise ValueError("no row was added")
        mean = self.mean
        self.count = 0
        self.mean = np.zeros_like(mean)
        return mean
        # END SOLUTION


class Momentum:
    """Go downhill, and keep part of the speed.

    Attributes:
        velocity: the last move, shape (d,); zeros at the beginning.
    """

    def __init__(self, start, rate, share):
        self.position = start
        self.rate = rate
        self.share = share
        self.velocity = np.zeros_like(start)

    def step(self, slope):
        """Make one move, and return the new position.

        Args:
            slope: the slope at the present position, shape (d,).

        Returns:
            the new position, shape (d,).
        """
        # TODO 3: a share of the last velocity stays, and the slope times the rate is taken from it.
        # BEGIN SOLUTION
        self.velocity = self.share * self.velocity - self.rate * slope
        self.position = self.position + self.velocity
        return self.position
        # END SOLUTION
