"""Explain calls that returned no value: what the student reads about the error and its remedy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.judging.comparison import Finding, Kind
from autograder.sandbox import Answer, Status, Stop, StudentError


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
        "This alias was removed in NumPy 1.24: use the plain Python type of that name.",
        "numpy-removed-name",
    ),
    KnownError(
        "AttributeError",
        r"has no attribute '(named_parameters|train)'",
        "The class must inherit from `nn.Module`.",
    ),
    KnownError(
        "AttributeError",
        r"before Module.__init__\(\) call",
        "Call `super().__init__()` before assigning layers.",
    ),
    KnownError(
        "AssertionError",
        r"embed_dim must be divisible by num_heads",
        "The arguments come in the order embed_dim, num_heads, ff_dim; use each of them as it comes.",
    ),
    KnownError(
        "AssertionError",
        r"not compiled with CUDA",
        "The grader has no GPU: leave out `.cuda()` and `.to('cuda')`.",
    ),
    KnownError(
        "RuntimeError",
        r"in-?place operation",
        "An array that gradients need is changed in place: write `x = x + a`, not `x += a`.",
        "modifies-input",
    ),
    KnownError(
        "ModuleNotFoundError",
        r"No module named",
        "Only the libraries named in the handout are available to the grader.",
    ),
    KnownError(
        "FileNotFoundError",
        r"No such file",
        "No other files are there when your work is graded, and none are needed.",
    ),
    KnownError(
        "TypeError",
        r"takes .* positional arguments? but .* (was|were) given|missing \d+ required",
        "The number of parameters differs from the stub's signature.",
        within=False,
    ),
)

MOST_TOLD = 20  # so many lines or cells that stopped are told one by one
BROUGHT_DOWN = {
    str(Status.CRASHED): "ended the whole process before it returned",
    str(Status.INVALID_ANSWER): "brought a result that is too large, or that cannot be read",
}
"""What to say about a call whose process died; the run's status takes the place of an error's type."""


def explain_no_value(answer: Answer, name: str, stopped_before: str = "") -> Finding:
    """Return the finding for a call without a value.

    ``stopped_before`` is what is known of why a name was never defined, such as a cell that stopped.
    """
    error = answer.error
    if error is None:
        return Finding(Kind.NOT_DEFINED, f"`{name}` is not defined. {stopped_before}".strip())
    if error.type == "NotImplementedError":
        return Finding(Kind.NOT_WRITTEN, f"`{name}` is not written yet.", misconceptions=("returns-nothing",))
    if error.type == "MissingParameter":
        text = (
            f"`{name}` lacks weights of an expected shape: keep the attribute names of the handout and the "
            "layers' biases, and take every size from the constructor's arguments."
        )
        return Finding(Kind.SHAPE, text, error.message)
    if error.type in BROUGHT_DOWN:
        return Finding(Kind.RAISED, f"`{name}` {BROUGHT_DOWN[error.type]}.", error.message)
    finding = explain_error(error, f"`{name}`")
    if error.type != "NameError":
        return finding
    return replace(finding, student=f"{finding.student} {stopped_before}".strip())


def explain_error(error: StudentError, subject: str) -> Finding:
    """Return the finding for an exception: type and line for the student, the message for the staff."""
    at = ""
    if error.line is not None:
        source = f": `{error.source}`" if error.source else ""
        at = f" at line {error.line} of {error.file or 'your code'}{source}"
    if error.type == "TimeLimit":
        text = f"{subject} did not finish in time{at}: look for a loop that never ends."
        return Finding(Kind.TIME_LIMIT, text)
    text = f"{subject} raised {error.type}{at}."
    staff = f"{error.type}: {error.message}\n{error.trace}".strip()
    for known in KNOWN_ERRORS:
        is_possible = known.type == error.type and (known.within or error.line is None)
        if is_possible and re.search(known.pattern, error.message):
            labels = (known.misconception,) if known.misconception else ()
            return Finding(Kind.RAISED, f"{text} {known.remedy}", staff, labels)
    return Finding(Kind.RAISED, text, staff)


def note_stops(stops: Sequence[Stop], missing: Sequence[str]) -> list[str]:
    """Return what a student reads about lines and cells that stopped; ending the program is none of these.

    ``missing`` are the tasks that were never defined. What stopped costs nothing by itself.
    """
    told = [stop for stop in stops if stop.error.type != "SystemExit"]
    notes = [
        f"{explain_error(stop.error, stop.subject).student} Grading goes on after it."
        for stop in told[:MOST_TOLD]
    ]
    if len(told) > MOST_TOLD:
        notes.append(f"{len(told) - MOST_TOLD} more stopped as well.")
    if notes and missing:
        notes.append(f"Never defined: {', '.join(f'`{name}`' for name in missing)}.")
    return notes
