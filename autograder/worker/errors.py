"""Exceptions of a student's code as plain data: type, message and the line in their own file."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Mapping
from types import FrameType, FunctionType, MappingProxyType, TracebackType
from typing import Any

from autograder.worker.facts.near_names import hint_for
from autograder.worker.facts.operands import (
    MOST_OPERANDS,
    operands_at,
    position_of,
    shape_of_value,
)
from autograder.worker.places import is_submitted, shown_name

NO_ANSWER_EXIT = 97
OUT_OF_MEMORY_EXIT = 98
"""Exit statuses of a worker process that could not write its answer."""
MAX_MESSAGE = 2000
MAX_FRAMES = 8
MAX_TYPE = 100
MAX_TRACE = 4000
MAX_SOURCE = 200
SHAPES_ARE = "\nHere "
"""What a message continues with if operands do not fit: their names and shapes."""
MEANT_IS = "\nMeant "
"""What a message continues with if a missing name may stand for another: the parts of a hint (``near_names``)."""
# Compiled here, once in the warm process, and not in each fork.
DO_NOT_FIT = re.compile(
    r"\bshapes?\b|\bsizes? |broadcast|aligned|values to unpack|index|axes|out of bounds"
)
KIND_MATTERS = re.compile(
    r"NoneType|enough dimensions|not callable|unsupported operand|bad operand|subscriptable|not iterable|has no len"
    r"|indices must|item assignment|interpreted as an integer|for the input types|scalar index"
)
"""Exceptions about a value that is no array, or not what the line takes it for."""
KINDS: Mapping[type, str] = {
    type(None): "None",
    list: "a list",
    tuple: "a tuple",
    dict: "a dictionary",
    str: "a text",
    int: "an int",
    float: "a float",
    bool: "a bool",
    FunctionType: "a function",
}
OF_SHAPES = ("ValueError", "RuntimeError", "IndexError", "AxisError")
"""Exceptions that NumPy, torch or Python raise if shapes do not fit."""
NOT_IN_EMBEDDING = "index out of range in self"
"""What torch says of an index that an ``nn.Embedding`` has no row for; it tells neither index nor rows."""
TORCH_OUT_OF_MEMORY = "DefaultCPUAllocator: can't allocate memory"
_NAMES = re.compile(r"(?<![\w.])([^\W\d]\w*)(\.T\b)?")
"""Names in a source text, and whether each is transposed."""


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
        the student's own code, None and empty if there is none; ``trace`` of the student's own frames; the
        ``operands`` of an expression whose shapes did not fit (see ``operands_at``).
    """
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:
        # A student's __str__ may raise anything; the report goes on without the text.
        message = "(the exception could not be printed)"
    kind = _kind_of(error, message)
    try:
        operands, facts = _facts_about(error, kind, message)
    except BaseException:
        # A student's object may do anything where it is looked at; the report goes on without facts.
        operands = []
        facts = ""

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
        "message": message + facts,
        "trace": "".join(traceback.format_list(frames))[-MAX_TRACE:],
        "file": file,
        "line": line,
        "source": (source or "").strip()[:MAX_SOURCE],
        "operands": operands,
    }


def _facts_about(
    error: BaseException, kind: str, message: str
) -> tuple[list[dict[str, Any]], str]:
    """Return facts that explain an exception, read from the frames in which it arose.

    Returns:
        The operands of an expression whose shapes did not fit, and what the message continues with.
    """
    places = _own_places(error)
    if not places:
        return [], ""
    last_place = places[-1]
    operands = []
    facts = ""
    if kind in OF_SHAPES:
        operands = operands_at(last_place, places[0])
        if DO_NOT_FIT.search(message):
            # If unpacking fails, Python marks the names on the left, which hold nothing yet.
            facts += _shapes_at(last_place, whole_line="unpack" in message)
        if message.startswith(NOT_IN_EMBEDDING):
            index = _index_in_embedding(error, last_place.tb_frame)
            if index:
                facts += f", {index}" if facts else f"{SHAPES_ARE}{index}"
    if KIND_MATTERS.search(message):
        facts += _shapes_at(last_place, whole_line=False, kinds=KINDS)
    return operands, facts + _hint_at(error, message, places)


def _kind_of(error: BaseException, message: str) -> str:
    """Return the name of an exception's type; running out of time or memory has one name each."""
    if isinstance(error, CallTimeLimit):
        return "TimeLimit"
    if isinstance(error, RuntimeError) and TORCH_OUT_OF_MEMORY in message:
        return "MemoryError"
    return type(error).__name__[:MAX_TYPE]


def _own_places(error: BaseException) -> list[TracebackType]:
    """Return the places of a traceback in the submission's own code, the outermost first."""
    places = []
    place = error.__traceback__
    while place is not None:
        if is_submitted(place.tb_frame.f_code.co_filename):
            places.append(place)
        place = place.tb_next
    return places


def _hint_at(error: BaseException, message: str, places: list[TracebackType]) -> str:
    """Return what a missing name, key or argument may stand for, as the end of the message."""
    frames = [place.tb_frame for place in places]
    source = linecache.getline(frames[-1].f_code.co_filename, places[-1].tb_lineno)
    hint = hint_for(error, message, source, frames)
    if not hint:
        return ""
    return MEANT_IS + "|".join(hint)


def _index_in_embedding(error: BaseException, frame: FrameType) -> str:
    """Return the index for which an ``nn.Embedding`` has no row, and the shape of its table; nothing if unknown.

    Args:
        error: the exception, which was raised in torch's function that looks the index up.
        frame: the student's frame, in which the array of indices may have a name.
    """
    *_, (frame_of_torch, _) = traceback.walk_tb(error.__traceback__)
    values = frame_of_torch.f_locals
    indices = values.get("input")
    rows = shape_of_value(values.get("weight"))
    if indices is None or not shape_of_value(indices) or not rows:
        return ""
    name = "index"
    for own_name, value in frame.f_locals.items():
        if value is indices:
            name = own_name
    which = "max"
    index = int(indices.max())
    if index < rows[0]:
        which = "min"
        index = int(indices.min())
    return f"`{name}.{which}()` is {index}, `nn.Embedding` is {rows}"


def _shapes_at(
    place: TracebackType,
    *,
    whole_line: bool,
    kinds: Mapping[type, str] = MappingProxyType({}),
) -> str:
    """Return the shapes of the arrays that the failing expression names, as ``Q is (2, 3)``.

    Args:
        place: where the expression failed.
        whole_line: take the arrays of the whole line instead.
        kinds: how other values are named, by their type.
    """
    frame = place.tb_frame
    code = frame.f_code
    values = {**frame.f_globals, **frame.f_locals}
    start_line, end_line, start_byte, end_byte = position_of(place)
    text = linecache.getline(code.co_filename, place.tb_lineno).encode()
    if start_line == end_line == place.tb_lineno and not whole_line:
        text = text[start_byte:end_byte]
    shapes: dict[str, object] = {}
    for name, transposed in _NAMES.findall(text.decode(errors="replace")):
        if name not in values:
            continue
        shape = shape_of_value(values[name])
        kind = kinds.get(type(values[name]))
        if shape:
            if transposed:
                shape = shape[::-1]
            shapes[f"`{name}{transposed}`"] = shape
        elif kind and not transposed:
            shapes[f"`{name}`"] = kind
    if not shapes:
        return ""
    listed = [f"{name} is {shape}" for name, shape in shapes.items()]
    return SHAPES_ARE + ", ".join(listed[:MOST_OPERANDS])
