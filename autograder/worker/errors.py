"""What went wrong in a student's code, as plain data: type, message and the line in their own file."""

from __future__ import annotations

import traceback

SUBMISSION_ROOT = "/submission/"
LIVE_CELLS = ("<ipython-input-", "ipykernel_")
"""How IPython names the code of a cell in a notebook that is being worked on."""
IN_A_NOTEBOOK = "this notebook"
NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT = 97, 98
"""How a worker's process exits when the answer could not be written."""
MAX_MESSAGE = 2000
MAX_FRAMES = 8
TORCH_OUT_OF_MEMORY = "DefaultCPUAllocator: can't allocate memory"


class CallTimeLimit(BaseException):
    """Raised in the student's code by the timer of one call; no ``except Exception`` swallows it."""


def describe_error(error: BaseException) -> dict[str, object]:
    """Return type, message, file, line, source line and the frames within the submission's own files."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_submitted(frame.filename)][
        -MAX_FRAMES:
    ]
    return {
        "type": _type_name(error),
        "message": _message(error),
        "trace": "".join(traceback.format_list(frames))[-4000:],
        **_place(error, frames),
    }


def is_submitted(filename: str) -> bool:
    """Whether code of this file is the student's own."""
    return filename.startswith(SUBMISSION_ROOT) or any(mark in filename for mark in LIVE_CELLS)


def _type_name(error: BaseException) -> str:
    if isinstance(error, CallTimeLimit):
        return "TimeLimit"
    if isinstance(error, RuntimeError) and TORCH_OUT_OF_MEMORY in _message(error):
        return "MemoryError"
    return type(error).__name__[:100]


def _place(error: BaseException, frames: list[traceback.FrameSummary]) -> dict[str, object]:
    if isinstance(error, SyntaxError) and is_submitted(str(error.filename)):
        filename, line, source = str(error.filename), error.lineno, error.text
    elif frames:
        filename, line, source = frames[-1].filename, frames[-1].lineno, frames[-1].line
    else:
        return {"file": None, "line": None, "source": ""}
    is_file = filename.startswith(SUBMISSION_ROOT)
    return {
        "file": filename.removeprefix(SUBMISSION_ROOT) if is_file else IN_A_NOTEBOOK,
        "line": line,
        "source": (source or "").strip()[:200],
    }


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MAX_MESSAGE]
    except BaseException:  # a student's __str__ may raise anything; the report goes on without the text
        return "(the exception could not be printed)"
