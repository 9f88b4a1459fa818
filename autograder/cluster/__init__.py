"""The same grading on the workers of a Dask scheduler; the gradebook stays with the driver."""

from __future__ import annotations

from autograder.cluster.duty import ClusterError

__all__ = ["ClusterError"]
