"""A failure is a fact about an answer that fell short; a reason says which mistake is behind it."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from autograder.course.calls import Call, ObjectCall
from autograder.language import say
from autograder.sandbox.report import Status, StudentError
from autograder.verdict.known import FailedCase
from autograder.worker.steps import titles_of

Labels = tuple[str, ...]
"""Names of misconceptions, as in ``misconceptions.toml``."""


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

    What the student reads is put together only where it is shown. It holds no expected value and no hidden input.

    Attributes:
        kind: the stage at which the comparison stopped.
        fact: what is certain.
        staff: what only teachers may read besides.
        misconceptions: labels of the mistakes behind it, the most certain first.
        cause: what is the same in all checks that fail for this reason; blank where that is the whole text.
        hint: what might be done, where the cause is not known.
        reason: the mistake behind it; the facts follow in brackets.
        context: sentences before the fact.
        remark: sentences after all else.
        failed_case: the case, the answer, and the value and tolerance that counted.
        made: possible explanations, each a set of known mistakes that together give the submission's answers.
    """

    kind: FailureKind
    fact: str
    staff: str = ""
    misconceptions: Labels = ()
    cause: str = ""
    hint: str = ""
    reason: str = ""
    context: str = ""
    remark: str = ""
    failed_case: FailedCase | None = field(default=None, compare=False, repr=False)
    made: tuple[Labels, ...] = field(default=(), compare=False)

    @property
    def student(self) -> str:
        """What the student reads."""
        facts = joined(self.context, self.fact, self.hint)
        if self.reason:
            facts = f"{self.reason} ({facts.rstrip('.')}.)"
        return joined(facts, self.remark)

    def followed_by(self, sentence: str) -> Failure:
        """Return the failure with one more sentence for the student; nothing is added where that is blank."""
        return replace(self, remark=joined(self.remark, sentence))

    def after(self, text: str) -> Failure:
        """Return the failure with sentences before it that are about its cause."""
        context = joined(text, self.context)
        return replace(self, context=context, cause=context)

    def explained_by(self, reason: str) -> Failure:
        """Return the failure with a reason, and all that was said before in brackets."""
        return replace(
            self.reworded(self.student),
            reason=reason,
            cause=joined(self.context, reason),
        )

    def reworded(self, text: str) -> Failure:
        """Return the failure with this text in place of all that the student would read."""
        return replace(self, fact=text, hint="", reason="", context="", remark="")


def joined(*sentences: str) -> str:
    """Return sentences as one text; blank ones are left out."""
    return " ".join(sentence for sentence in sentences if sentence)


class CheckFailed(AssertionError):
    """A submission does not pass a check; carries the failure that says how."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.student)
        self.failure = failure


def fail(
    text: str, *misconceptions: str, kind: FailureKind = FailureKind.VALUES
) -> NoReturn:
    """Fail a check that does its own judging.

    Args:
        text: what the student reads.
        misconceptions: labels of the mistakes behind it, where they are proved.
        kind: the stage at which the answer fell short.
    """
    failure = Failure(kind, text, misconceptions=misconceptions, cause=text)
    raise CheckFailed(failure)


@dataclass(frozen=True)
class Reason:
    """Which mistake is behind wrong answers: its labels, and sentences for the student.

    There are sentences without a label where several mistakes are possible and have no label in common.

    Attributes:
        labels: the most certain first.
        says: the sentences for the student.
        about_size: one of the mistakes fixes a size; see ``Misconception``.
        by_exception: the mistake is proved by its exception; see ``Misconception``.
        made: possible explanations, each a set of known mistakes that together give the submission's answers.
    """

    labels: Labels = ()
    says: str = ""
    about_size: bool = False
    by_exception: bool = field(default=False, compare=False)
    made: tuple[Labels, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        """Return whether a mistake is named by a label."""
        return bool(self.labels)


NO_REASON = Reason()

# Calls that returned no value

NO_FORWARD = 'is missing the required "forward" function'
"""What torch says of a module without ``forward``, which is not one of the kit's stubs."""
RAISE_STATEMENT = r"^[^#]*\braise\b"
LIMIT_ERRORS = frozenset({"TimeLimit", "MemoryError"})
"""Errors of a call that reached a limit, after which its process makes no other."""
BROUGHT_DOWN = {
    str(Status.CRASHED): (
        "ended the whole process before it returned: look for a call that ends the "
        "program, such as `os._exit()`, and for a function that calls itself endlessly"
    ),
    str(Status.INVALID_ANSWER): (
        "returned a result that is too large or cannot be read: return an array of the "
        "size that the handout asks for"
    ),
}
"""What is said of a call whose process died; the run's status replaces an error's type."""


WAITED = "little processor time was used"
"""The message of a TimeLimit that no loop explains, on a student's machine."""
WAITED_IN_GRADING = "little processor time was used, although there was more time"
"""The message of a TimeLimit that no loop explains, in grading."""
LEAST_SHARE_OF_A_LOOP = 0.75
"""A call that was cut after using less than this share of its time was waiting for the processor, or sleeping: an
endless loop would have used nearly all of it."""


def as_waited(error: StudentError, message: str) -> StudentError:
    """Replace the message of a TimeLimit; return other errors unchanged."""
    if error.type != "TimeLimit":
        return error
    return replace(error, message=message)


def is_unwritten(error: StudentError | None) -> bool:
    """Return whether an error is that of a stub: a ``raise`` in the student's file, not within a library."""
    if error is None or error.type != "NotImplementedError":
        return False
    if NO_FORWARD in error.message:
        return False
    return not error.source or re.search(RAISE_STATEMENT, error.source) is not None


def has_message(error: StudentError) -> bool:
    """Return whether an error's message helps, where it may be shown; a reached limit has none."""
    if error.type in LIMIT_ERRORS or error.type in BROUGHT_DOWN:
        return False
    return not is_unwritten(error)


def called(call: Call, error: StudentError | None = None) -> str:
    """Name what was called, as a sentence begins: a function, or the step of an object that raised an error."""
    name = f"`{call.name}`"
    if not isinstance(call, ObjectCall) or error is None or error.step is None:
        return name
    titles = titles_of(call.steps)
    if error.step >= len(titles):  # the worker cannot have written this
        return name
    return f"{titles[error.step]} of {name}"


def plain_fact(name: str, error: StudentError | None) -> Failure:
    """Return the certain fact about a call without a value, which remains if explaining it fails.

    Args:
        name: what was called, as ``called`` names it.
        error: what it raised; None where it is not defined.
    """
    if error is None:
        return Failure(
            FailureKind.NOT_DEFINED, say("{name} is not defined.", name=name)
        )
    if is_unwritten(error):
        return Failure(
            FailureKind.NOT_WRITTEN,
            say("{name} is not written yet.", name=name),
            misconceptions=("returns-nothing",),
        )
    if error.type == "TimeLimit":
        return Failure(
            FailureKind.TIME_LIMIT, say("{name} did not finish in time.", name=name)
        )
    kind = FailureKind.RAISED
    if error.type == "MissingParameter":
        kind = FailureKind.SHAPE
    return Failure(
        kind, say("{name} returned nothing: {error}.", name=name, error=error.type)
    )
