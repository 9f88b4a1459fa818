"""What can go wrong with a gradebook."""

from __future__ import annotations

from autograder.errors import KitError


class GradebookError(KitError):
    """The gradebook cannot be used; the message names the file and the remedy."""


class NoGradebookError(GradebookError):
    """The file is of another kind, or damaged."""
