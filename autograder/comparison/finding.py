"""What a comparison found wrong, in words for the student and, apart from them, for the staff."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(enum.StrEnum):
    """The stage at which an answer fell short, in the order of comparison."""

    NOT_DEFINED = "not_defined"
    NOT_WRITTEN = "not_written"
    RAISED = "raised"
    TIME_LIMIT = "time_limit"
    ARITY = "arity"
    SHAPE = "shape"
    DTYPE = "dtype"
    NOT_FINITE = "not_finite"
    VALUES = "values"
    MODIFIED = "modified"
    GRADIENT = "gradient"


@dataclass(frozen=True)
class Finding:
    """One shortcoming of one answer.

    ``student`` holds no expected value, no hidden input and no text written by the student's code;
    ``staff`` adds what only teachers may see.
    """

    kind: Kind
    student: str
    staff: str = ""
    misconceptions: tuple[str, ...] = ()
