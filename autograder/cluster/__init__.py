"""The same grading on the workers of a Dask scheduler; the gradebook stays with the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.cluster.duty import ClusterError
else:
    __getattr__ = on_demand(__name__)

__all__ = ["ClusterError"]
