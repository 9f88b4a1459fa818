"""A failure: the fact in which an answer fell short."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

from autograder.sandbox.report import Status, StudentError
from autograder.verdict.evidence import JudgedCase


class FailureKind(enum.StrEnum):
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
class Failure:
    """One shortcoming of one answer.

    ``student`` holds no expected value and no hidden input; ``staff`` adds what only teachers may see.
    ``cause`` is the part that is the same wherever this shortcoming shows, by default all of ``student``.
    ``judged`` is the case, and ``made`` are the edits of the solution, pairs among them, that answer alike.
    """

    kind: FailureKind
    student: str
    staff: str = ""
    misconceptions: tuple[str, ...] = ()
    cause: str = ""
    judged: JudgedCase | None = field(default=None, compare=False, repr=False)
    made: tuple[tuple[str, ...], ...] = field(default=(), compare=False)


class CheckFailed(AssertionError):
    """A submission falls short; carries the finding that says how."""

    def __init__(self, finding: Failure) -> None:
        super().__init__(finding.student)
        self.failure = finding


NO_FORWARD = 'is missing the required "forward" function'


RAISES = r"^[^#]*\braise\b"


BROUGHT_DOWN = {
    str(Status.CRASHED): (
        "ended the whole process before it returned: look for what ends a program, such as `os._exit()`, "
        "and for a function that calls itself without an end"
    ),
    str(Status.INVALID_ANSWER): (
        "returned a result that is too large or cannot be read: return an array of the size that the "
        "handout asks for"
    ),
}
"""What to say about a call whose process died; the run's status takes the place of an error's type."""


def is_unwritten(error: StudentError | None) -> bool:
    """Whether an error is that of a stub: a `raise` of the student's own, and not one within a library."""
    if (
        error is None
        or error.type != "NotImplementedError"
        or NO_FORWARD in error.message
    ):
        return False
    return not error.source or re.search(RAISES, error.source) is not None


def plain_fact(name: str, error: StudentError | None) -> Failure:
    """Return what is certain of a call without a value: what is left where explaining it fails."""
    if error is None:
        return Failure(FailureKind.NOT_DEFINED, f"`{name}` is not defined.")
    if is_unwritten(error):
        text = f"`{name}` is not written yet."
        return Failure(
            FailureKind.NOT_WRITTEN, text, misconceptions=("returns-nothing",)
        )
    if error.type == "TimeLimit":
        return Failure(FailureKind.TIME_LIMIT, f"`{name}` did not finish in time.")
    kind = FailureKind.SHAPE if error.type == "MissingParameter" else FailureKind.RAISED
    return Failure(kind, f"`{name}` returned nothing: {error.type}.")


def has_message(error: StudentError) -> bool:
    """Whether an error is told with what it says, where that may be shown; a limit has none."""
    wordless = {"TimeLimit", "MemoryError", *BROUGHT_DOWN}
    return error.type not in wordless and not is_unwritten(error)


Labels = tuple[str, ...]


@dataclass(frozen=True)
class Reason:
    """The labels of what went wrong, best first, and the sentences for the student.

    There are sentences without a label where several mistakes are possible and share none. ``about_size`` and
    ``by_exception`` are as in ``Misconception``, the first true where one of several mistakes fixes a size.
    ``made`` are the mistakes, for each possibility, whose edits of the solution answer alike.
    """

    labels: Labels = ()
    says: str = ""
    about_size: bool = False
    by_exception: bool = field(default=False, compare=False)
    made: tuple[Labels, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        """Whether a reason was found."""
        return bool(self.labels)


NO_REASON = Reason()
