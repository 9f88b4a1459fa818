"""How a submission's run can end; the names are part of the results format."""

from __future__ import annotations

import enum


class Status(enum.StrEnum):
    """The status of one submission in one homework."""

    GRADED = "graded"
    NOT_SUBMITTED = "not_submitted"
    IMPORT_FAILED = "import_failed"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    CRASHED = "crashed"
    INVALID_ANSWER = "invalid_answer"
    INFRASTRUCTURE_ERROR = "infrastructure_error"

    @property
    def is_our_fault(self) -> bool:
        """Whether the score stays blank and the submission is to be graded again."""
        return self is Status.INFRASTRUCTURE_ERROR
