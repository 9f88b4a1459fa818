"""What went wrong in a student's code, as plain data: type, message and the line in their own file."""

from __future__ import annotations

import itertools
import linecache
import re
import traceback
from types import TracebackType

from autograder.worker.operands import operands_at, shape_of_value

SUBMISSION_ROOT = "/submission/"
LIVE_CELLS = ("<ipython-input-", "ipykernel_")
"""How IPython names a cell's code in the notebook that a student is working on."""
IN_A_NOTEBOOK = "this notebook"
NO_ANSWER_EXIT, OUT_OF_MEMORY_EXIT = 97, 98
"""Exit statuses of a worker process that could not write its answer."""
MAX_MESSAGE = 2000
MAX_FRAMES = 8
SHAPES_ARE = "\nHere "
"""What a message goes on with where operands do not fit: their names and shapes."""
DO_NOT_FIT = (
    r"\bshapes?\b|\bsizes? |broadcast|aligned|values to unpack|index|axes|out of bounds"
)
OF_SHAPES = ("ValueError", "RuntimeError", "IndexError", "AxisError")
"""Exceptions that NumPy, torch or Python raise where shapes do not fit."""
MOST_OPERANDS = 4
TORCH_OUT_OF_MEMORY = "DefaultCPUAllocator: can't allocate memory"


class CallTimeLimit(BaseException):
    """Raised in the student's code by the timer of one call; no ``except Exception`` swallows it."""


def describe_error(error: BaseException) -> dict[str, object]:
    """Return type, message, file, line, source line and the frames within the submission's own files."""
    try:
        message = str(error)[:MAX_MESSAGE]
    except (
        BaseException
    ):  # a student's __str__ may raise anything; the report goes on without the text
        message = "(the exception could not be printed)"
    kind = type(error).__name__[:100]
    if isinstance(error, CallTimeLimit):
        kind = "TimeLimit"
    elif isinstance(error, RuntimeError) and TORCH_OUT_OF_MEMORY in message:
        kind = "MemoryError"
    first, place = _own_places(error.__traceback__)
    operands = []
    if first is not None and place is not None and kind in OF_SHAPES:
        operands = operands_at(place, first)
    if place is not None and kind in OF_SHAPES and re.search(DO_NOT_FIT, message):
        # where unpacking fails, the position is that of the names to the left, which hold nothing yet
        message += _shapes_at(place, whole_line="unpack" in message)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if is_submitted(frame.filename)
    ]
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
        "operands": operands,
    }


def _own_places(
    place: TracebackType | None,
) -> tuple[TracebackType | None, TracebackType | None]:
    """The outermost and the innermost place of a traceback in the submission's own code."""
    first, last = None, None
    while place is not None:
        if is_submitted(place.tb_frame.f_code.co_filename):
            first, last = first or place, place
        place = place.tb_next
    return first, last


def _shapes_at(own: TracebackType, *, whole_line: bool = False) -> str:
    """The shapes of the arrays that the failing expression of the submission names, as ``Q is (2, 3)``."""
    code, values = (
        own.tb_frame.f_code,
        {**own.tb_frame.f_globals, **own.tb_frame.f_locals},
    )
    line, end, left, right = next(
        itertools.islice(code.co_positions(), own.tb_lasti // 2, None)
    )
    source = linecache.getline(code.co_filename, own.tb_lineno).encode()
    part = (
        source[left:right]
        if line == end == own.tb_lineno and not whole_line
        else source
    )
    found = {}
    for name, flipped in re.findall(
        r"(?<![\w.])([^\W\d]\w*)(\.T\b)?", part.decode(errors="replace")
    ):
        shape = shape_of_value(values.get(name))
        if shape:
            found[f"`{name}{flipped}`"] = shape[:: -1 if flipped else 1]
    listed = [f"{name} is {shape}" for name, shape in found.items()][:MOST_OPERANDS]
    return f"{SHAPES_ARE}{', '.join(listed)}" if listed else ""


def is_submitted(filename: str) -> bool:
    """Whether code of this file is the student's own."""
    return filename.startswith(SUBMISSION_ROOT) or any(
        mark in filename for mark in LIVE_CELLS
    )
