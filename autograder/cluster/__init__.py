"""The same grading on the workers of a Dask scheduler; the gradebook stays with the driver.

This module loads without Dask; ``driver`` does not.
"""

from autograder.errors import KitError

__all__ = ["ClusterError"]


class ClusterError(KitError):
    """The cluster cannot be used as it is; the message says what to do."""
