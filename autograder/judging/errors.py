"""Explain calls that returned no value: what the student reads about the error and its remedy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.judging.comparison import Finding, Kind
from autograder.sandbox import Answer, Status, StudentError


@dataclass(frozen=True)
class KnownError:
    """An exception whose cause is known from its type and its library's own message.

    ``within`` says whether it may also arise at a line of the student's own code, or only at our call.
    """

    type: str
    pattern: str
    remedy: str
    misconception: str | None = None
    within: bool = True

    def fits(self, error: StudentError) -> bool:
        """Whether this is the cause of an error."""
        is_here = self.within or error.line is None
        return is_here and self.type == error.type and bool(re.search(self.pattern, error.message))


KNOWN_ERRORS = (
    KnownError(
        "TypeError",
        r"only (0-dimensional|length-1|size-1) arrays can be converted",
        "float() and int() take only 0-dimensional arrays since NumPy 2.4: write `(k.T @ q).item()` "
        "in place of `float(k.T @ q)`.",
        "numpy-float-of-array",
    ),
    KnownError(
        "AttributeError",
        r"module 'numpy' has no attribute '(float|int|bool|object|complex)'",
        "this alias was removed in NumPy 1.24: use the plain Python type of that name.",
        "numpy-removed-name",
    ),
    KnownError(
        "AttributeError",
        r"has no attribute '(named_parameters|train)'",
        "the class must inherit from `nn.Module`.",
    ),
    KnownError(
        "AttributeError",
        r"before Module.__init__\(\) call",
        "call `super().__init__()` before assigning layers.",
    ),
    KnownError(
        "AssertionError",
        r"embed_dim must be divisible by num_heads",
        "the arguments come in the order embed_dim, num_heads, ff_dim; use each of them as it comes.",
    ),
    KnownError(
        "AssertionError",
        r"not compiled with CUDA",
        "the grader has no GPU: leave out `.cuda()` and `.to('cuda')`.",
    ),
    KnownError(
        "RuntimeError",
        r"in-?place operation",
        "an array that gradients need is changed in place: write `x = x + a`, not `x += a`.",
        "modifies-input",
    ),
    KnownError(
        "ModuleNotFoundError",
        r"No module named",
        "only the libraries named in the handout are available to the grader.",
    ),
    KnownError(
        "TypeError",
        r"takes .* positional arguments? but .* (was|were) given|missing \d+ required",
        "the number of parameters differs from the stub's signature.",
        within=False,
    ),
)


BROUGHT_DOWN = {
    str(Status.CRASHED): "ended the whole process before it returned",
    str(Status.INVALID_ANSWER): "brought a result that is too large, or that cannot be read",
}
"""What to say about a call whose process died, by the run's status, which stands in for an error's type."""


def explain_no_value(answer: Answer, name: str, stopped_before: str = "") -> Finding:
    """Return the finding for a call without a value.

    Args:
        answer: an answer that is not usable.
        name: the public name that was called.
        stopped_before: what is known of why the name was never defined, such as a failed cell.
    """
    if answer.error is None:
        text = f"`{name}` is not defined. {stopped_before}".strip()
        return Finding(Kind.NOT_DEFINED, text)
    if answer.error.type == "NotImplementedError":
        return Finding(Kind.NOT_WRITTEN, f"`{name}` is not written yet.", misconceptions=("returns-nothing",))
    if answer.error.type == "MissingParameter":
        text = (
            f"`{name}` lacks weights of an expected shape: keep the attribute names of the handout and the "
            "layers' biases, and take every size from the constructor's arguments."
        )
        return Finding(Kind.SHAPE, text, answer.error.message)
    if answer.error.type == "TimeLimit":
        return Finding(Kind.TIME_LIMIT, f"`{name}` {_endless(answer.error)}")
    if answer.error.type in BROUGHT_DOWN:
        text = f"`{name}` {BROUGHT_DOWN[answer.error.type]}."
        return Finding(Kind.RAISED, text, answer.error.message)
    return explain_error(answer.error, f"`{name}`")


def _endless(error: StudentError) -> str:
    return f"did not finish in time{_at(error)}: look for a loop that never ends."


def explain_error(error: StudentError, subject: str) -> Finding:
    """Return the finding for an exception: type and line for the student, the message for the staff."""
    if error.type == "TimeLimit":
        return Finding(Kind.TIME_LIMIT, f"{subject} {_endless(error)}")
    text = f"{subject} raised {error.type}{_at(error)}."
    staff = f"{error.type}: {error.message}\n{error.trace}".strip()
    for known in KNOWN_ERRORS:
        if known.fits(error):
            labels = (known.misconception,) if known.misconception else ()
            return Finding(Kind.RAISED, f"{text} {_capital(known.remedy)}", staff, labels)
    return Finding(Kind.RAISED, text, staff)


def _at(error: StudentError) -> str:
    if error.line is None:
        return ""
    source = f": `{error.source}`" if error.source else ""
    return f" at line {error.line} of {error.file or 'your code'}{source}"


def _capital(text: str) -> str:
    return text if text.startswith(("float()", "`")) else text[0].upper() + text[1:]
