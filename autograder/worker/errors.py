"""Exceptions of a student's code as plain data: type, message and the line in their own file."""

from __future__ import annotations

import traceback

from autograder.worker.facts.error_facts import facts_about
from autograder.worker.places import is_submitted, shown_name

NO_ANSWER_EXIT = 97
OUT_OF_MEMORY_EXIT = 98
"""Exit statuses of a worker process that could not write its answer."""
MAX_MESSAGE = 2000
MAX_FRAMES = 8
MAX_TYPE = 100
MAX_TRACE = 4000
MAX_SOURCE = 200
TORCH_OUT_OF_MEMORY = "DefaultCPUAllocator: can't allocate memory"


class CallTimeLimit(BaseException):
    """Raised in the student's code by the timer of one call; no ``except Exception`` swallows it."""


def name_limit(error: BaseException) -> dict[str, object]:
    """Say only whether an exception is that of a limit of time, and nothing of any other."""
    type_name = "TimeLimit" if isinstance(error, CallTimeLimit) else "Exception"
    return {"type": type_name, "message": "", "line": None}


def describe_error(error: BaseException) -> dict[str, object]:
    """Describe an exception by its type, message and place in the submission's own files.

    Returns:
        ``type`` and ``message``; ``file``, ``line`` and ``source`` (the line's text) of the innermost place in
        the student's own code, None and empty if there is none; ``trace`` of the student's own frames; and the
        fields of ``facts_about``.
    """
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:
        # A student's __str__ may raise anything; the report goes on without the text.
        message = "(the exception could not be printed)"
    kind = _kind_of(error, message)
    try:
        facts = facts_about(error, kind, message)
    except BaseException:
        # A student's object may do anything where it is looked at; the report goes on without facts.
        facts = {}

    # Find the place. A SyntaxError arises in no frame of the student's code.
    frames = []
    for frame in traceback.extract_tb(error.__traceback__):
        if is_submitted(frame.filename):
            frames.append(frame)
    frames = frames[-MAX_FRAMES:]
    file = None
    line = None
    source = None
    if isinstance(error, SyntaxError) and is_submitted(str(error.filename)):
        file = str(error.filename)
        line = error.lineno
        source = error.text
    elif frames:
        last_frame = frames[-1]
        file = last_frame.filename
        line = last_frame.lineno
        source = last_frame.line
    if file is not None:
        file = shown_name(file)
    return {
        "type": kind,
        "message": message,
        "trace": "".join(traceback.format_list(frames))[-MAX_TRACE:],
        "file": file,
        "line": line,
        "source": (source or "").strip()[:MAX_SOURCE],
        **facts,
    }


def _kind_of(error: BaseException, message: str) -> str:
    """Return the name of an exception's type; running out of time or memory has one name each."""
    if isinstance(error, CallTimeLimit):
        return "TimeLimit"
    if isinstance(error, RuntimeError) and TORCH_OUT_OF_MEMORY in message:
        return "MemoryError"
    return type(error).__name__[:MAX_TYPE]
