"""Facts about an exception that its message does not tell, read from the frames in which it arose."""

from __future__ import annotations

import itertools
import linecache
import re
import traceback
from collections.abc import Mapping
from types import FrameType, FunctionType, MappingProxyType, TracebackType

from autograder.worker.facts.near_names import hint_for
from autograder.worker.facts.operands import (
    MOST_OPERANDS,
    operands_at,
    position_of,
    shape_of_value,
)
from autograder.worker.places import is_submitted
from autograder.worker.wire import Shape

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
_NAMES = re.compile(r"(?<![\w.])([^\W\d]\w*)(\.T\b)?")
"""Names in a source text, and whether each is transposed."""


def facts_about(error: BaseException, kind: str, message: str) -> dict[str, object]:
    """Return facts that explain an exception.

    Args:
        error: the exception.
        kind: the name of its type.
        message: its text.

    Returns:
        ``operands``, the arrays of an expression whose shapes did not fit (see ``operands_at``); ``shapes`` of the
        arrays that the line names, or what kind of value a name has, by name; ``out_of_table``, the index for which
        an ``nn.Embedding`` has no row; ``hint``, what a missing name, key or argument may stand for (see
        ``near_names``). Those that are not known are left out.

    Raises:
        BaseException: whatever a student's object raises where it is looked at.
    """
    facts: dict[str, object] = {}
    places = _own_places(error)
    if not places:
        return facts
    last_place = places[-1]
    if kind in OF_SHAPES:
        facts["operands"] = operands_at(last_place, places[0])
        if DO_NOT_FIT.search(message):
            # If unpacking fails, Python marks the names on the left, which hold nothing yet.
            facts["shapes"] = _shapes_at(last_place, whole_line="unpack" in message)
        if message.startswith(NOT_IN_EMBEDDING):
            facts["out_of_table"] = _index_out_of_table(error, last_place.tb_frame)
    if KIND_MATTERS.search(message):
        facts["shapes"] = _shapes_at(last_place, whole_line=False, kinds=KINDS)
    frames = [place.tb_frame for place in places]
    filename = last_place.tb_frame.f_code.co_filename
    source = linecache.getline(filename, last_place.tb_lineno)
    hint = hint_for(error, message, source, frames)
    if hint:
        facts["hint"] = list(hint)
    return facts


def _own_places(error: BaseException) -> list[TracebackType]:
    """Return the places of a traceback in the submission's own code, the outermost first."""
    places = []
    place = error.__traceback__
    while place is not None:
        if is_submitted(place.tb_frame.f_code.co_filename):
            places.append(place)
        place = place.tb_next
    return places


def _index_out_of_table(
    error: BaseException, frame: FrameType
) -> dict[str, object] | None:
    """Describe the index for which an ``nn.Embedding`` has no row; None if it is unknown.

    Args:
        error: the exception, which was raised in torch's function that looks the index up.
        frame: the student's frame, in which the array of indices may have a name.

    Returns:
        ``array``, the name of the array of indices; ``which``, whether the index is the ``max`` or the ``min`` of
        it; the ``index``; and the shape of the ``table``.
    """
    *_, (frame_of_torch, _) = traceback.walk_tb(error.__traceback__)
    values = frame_of_torch.f_locals
    indices = values.get("input")
    table = shape_of_value(values.get("weight"))
    if indices is None or not shape_of_value(indices) or not table:
        return None
    array = "index"
    for name, value in frame.f_locals.items():
        if value is indices:
            array = name
    which = "max"
    index = int(indices.max())
    if index < table[0]:
        which = "min"
        index = int(indices.min())
    return {"array": array, "which": which, "index": index, "table": table}


def _shapes_at(
    place: TracebackType,
    *,
    whole_line: bool,
    kinds: Mapping[type, str] = MappingProxyType({}),
) -> dict[str, Shape | str]:
    """Return the shapes of the arrays that the failing expression names, by name, such as ``Q`` or ``Q.T``.

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
    shapes: dict[str, Shape | str] = {}
    for name, transposed in _NAMES.findall(text.decode(errors="replace")):
        if name not in values:
            continue
        shape = shape_of_value(values[name])
        kind = kinds.get(type(values[name]))
        if shape:
            if transposed:
                shape = shape[::-1]
            shapes[f"{name}{transposed}"] = shape
        elif kind and not transposed:
            shapes[name] = kind
    return dict(itertools.islice(shapes.items(), MOST_OPERANDS))
