"""What can go wrong with a cluster and be mended by its user."""

from __future__ import annotations

from autograder.errors import KitError


class ClusterError(KitError):
    """The cluster cannot be used as it is; the message says what to do."""
