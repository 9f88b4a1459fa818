"""What went wrong in a student's code, as plain data: type, message and the line in their own file."""

from __future__ import annotations

import traceback

SUBMISSION_ROOT = "/submission/"
LIVE_CELLS = ("<ipython-input-", "ipykernel_")
"""How IPython names a cell's code in the notebook that a student is working on."""
IN_A_NOTEBOOK = "this notebook"
NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT = 97, 98
"""Exit statuses of a worker process that could not write its answer."""
MAX_MESSAGE = 2000
MAX_FRAMES = 8
TORCH_OUT_OF_MEMORY = "DefaultCPUAllocator: can't allocate memory"


class CallTimeLimit(BaseException):
    """Raised in the student's code by the timer of one call; no ``except Exception`` swallows it."""


def describe_error(error: BaseException) -> dict[str, object]:
    """Return type, message, file, line, source line and the frames within the submission's own files."""
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:  # a student's __str__ may raise anything; the report goes on without the text
        message = "(the exception could not be printed)"
    kind = type(error).__name__[:100]
    if isinstance(error, CallTimeLimit):
        kind = "TimeLimit"
    elif isinstance(error, RuntimeError) and TORCH_OUT_OF_MEMORY in message:
        kind = "MemoryError"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_submitted(frame.filename)]
    frames = frames[-MAX_FRAMES:]
    file, line, source = None, None, None
    if isinstance(error, SyntaxError) and is_submitted(str(error.filename)):
        file, line, source = str(error.filename), error.lineno, error.text
    elif frames:
        file, line, source = frames[-1].filename, frames[-1].lineno, frames[-1].line
    if file is not None:
        in_a_file = file.startswith(SUBMISSION_ROOT)
        file = file.removeprefix(SUBMISSION_ROOT) if in_a_file else IN_A_NOTEBOOK
    return {
        "type": kind,
        "message": message,
        "trace": "".join(traceback.format_list(frames))[-4000:],
        "file": file,
        "line": line,
        "source": (source or "").strip()[:200],
    }


def is_submitted(filename: str) -> bool:
    """Whether code of this file is the student's own."""
    return filename.startswith(SUBMISSION_ROOT) or any(mark in filename for mark in LIVE_CELLS)
