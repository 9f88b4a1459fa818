"""An explanation never costs a grade: where one raises, the fault is recorded and only its text is missing.

A verdict (does the check pass?) and its explanation (why not?) are computed in the same functions, one after
the other. Whatever explains stands in an ``explaining`` block, below the plain fact that remains without it:

    finding = plain_fact
    with explaining("the reason for hidden/softmax/wide"):
        finding = self._reason(failed, plain_fact)

Whoever grades opens ``recording_faults`` around it and keeps the list with the result, so that the staff can
see which explanation failed and where. Outside of it nothing is swallowed: the exception is raised as usual.
"""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from autograder.sandbox.report import LayerRefusedError
from autograder.untrusted_text import for_one_line

KIT = str(Path(__file__).parents[1])
STANDARD_LIBRARY = str(Path(os.__file__).parent)
LONGEST_MESSAGE = 200
NEVER_SWALLOWED: tuple[type[Exception], ...] = (MemoryError, LayerRefusedError)
"""What judging may raise: a submission takes too much memory to judge, or the machine's protection fails."""

_faults: ContextVar[list[str] | None] = ContextVar("explanation_faults", default=None)
_depth: ContextVar[int] = ContextVar("explanation_depth", default=0)


@contextlib.contextmanager
def recording_faults() -> Iterator[list[str]]:
    """Yield a list that receives one line for each explanation that raises within the block."""
    faults: list[str] = []
    token = _faults.set(faults)
    try:
        yield faults
    finally:
        _faults.reset(token)


@contextlib.contextmanager
def explaining(what: str, *passing: type[Exception]) -> Iterator[None]:
    """Make an explanation: if the block raises, record the fault and go on below the block.

    Args:
        what: names the explanation, for the staff.
        passing: further exceptions that are no fault of an explanation, such as a database that is gone.
    """
    reraised: tuple[type[Exception], ...] = (*NEVER_SWALLOWED, *passing)
    depth = _depth.set(_depth.get() + 1)
    try:
        yield
    except reraised:
        raise
    except (
        Exception
    ) as error:  # the one place where a fault may cost a text and nothing else
        faults = _faults.get()
        if faults is None:
            raise
        line = f"{what}: {described(error)}"
        if line not in faults:
            faults.append(line)
    finally:
        _depth.reset(depth)


def is_explaining() -> bool:
    """Return whether the caller is within an explanation, so that no verdict depends on it."""
    return _depth.get() > 0


def described(error: BaseException) -> str:
    """Return one line about an exception: its type, what it says, and the line of the kit that raised it."""
    message = for_one_line(str(error))[:LONGEST_MESSAGE]
    return (
        f"{type(error).__name__}: {message}".rstrip(": ")
        + f" ({place_of_fault(error)})"
    )


def place_of_fault(error: BaseException) -> str:
    """Return file and line of the innermost frame in the kit or the course, as in "reasons/probes.py:12".

    Frames of libraries that were called there are left out.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "no line is known"
    innermost = frames[-1]
    for frame in frames:
        if _is_ours(frame.filename):
            innermost = frame
    path = Path(innermost.filename)
    if innermost.filename.startswith(KIT):
        file = path.relative_to(Path(KIT).parent)
    else:
        # Such as solutions/hw1_attention_scores/test_hw1_attention_scores.py.
        file = Path(*path.parts[-3:])
    return f"{file.as_posix()}:{innermost.lineno}"


def _is_ours(file: str) -> bool:
    if file.startswith(KIT):  # it may be installed among the libraries
        return file != __file__
    return not (file.startswith((STANDARD_LIBRARY, "<")) or "site-packages" in file)
