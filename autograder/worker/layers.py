"""The layers of protection around the process of a submission; ``sandbox/levels.py`` combines them into levels."""

from __future__ import annotations

import enum


class Layer(enum.StrEnum):
    """One layer, by the name that the gradebook and ``autograder doctor`` show."""

    NAMESPACES = "namespaces"
    """Processes, network, shared memory and files of its own: bubblewrap starts the warm process in them."""
    OWN_USER = "own-user"
    """A user id that nothing else on the machine has; in force only where the grader is root."""
    LANDLOCK = "landlock"
    """Only the Python installation can be read, and nothing written."""
    SECCOMP = "seccomp"
    """Only the system calls of ``filter.py``."""
    PRIVATE_MEMORY = "private-memory"
    """The memory of the warm process cannot be read by processes of the same user. It works wherever Linux runs."""
    RLIMITS = "rlimits"
    """Limits of processor time, memory, open files and file sizes (``limits.py``)."""
