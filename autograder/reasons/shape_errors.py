"""If an exception is about shapes, say in our own words what did not fit and what would fit.

Everything here is a fact about the arrays that met in a run of public cases; why they met is not known.
"""

from __future__ import annotations

import math
import re

from autograder.language import say
from autograder.verdict.misfits import BROADCAST, PRODUCT, RESHAPE, Misfit, Shape
from autograder.worker.facts.operands import broadcast_shape

ON_AXES = frozenset(
    {"too many to unpack", "too few to unpack", "transpose", "too many indices", "axis"}
)
"""Operations that take or name more axes, or fewer, than the array has."""
OF_TWO_ARRAYS = r"@|\b(dot|matmul|mm|bmm|inner|einsum|tensordot)\b|^$"
"""Lines that multiply two arrays themselves. A layer has the second one inside, and no side of it to change."""


def in_words(misfit: Misfit) -> str:
    """Return what a message says, in our own words; an empty text if the library's own words are as good."""
    if misfit.operation != PRODUCT or len(misfit.sizes) != 2:
        return ""
    first, second = misfit.sizes
    if _are_inner(misfit):
        return say(
            "the inner sizes {first} and {second} of a product differ",
            first=first,
            second=second,
        )
    return say(
        "the sizes {first} and {second} of a product differ",
        first=first,
        second=second,
    )


def _are_inner(misfit: Misfit) -> bool:
    """Return whether the sizes of a product that differ are the inner ones, and not those of leading axes."""
    shapes = misfit.shapes
    if len(shapes) != 2:
        return True  # such a message is about inner sizes
    first, second = shapes
    if not first or not second:  # not known, or a plain number
        return True
    last_of_first = first[-1]
    inner_of_second = second[0]
    if len(second) > 1:
        inner_of_second = second[-2]
    return misfit.sizes == (last_of_first, inner_of_second)


def what_would_fit(misfit: Misfit, source: str = "") -> str:
    """Return a sentence about the shapes that met at a line, or nothing.

    Of a product it names the one transposition or exchange after which the operands would fit; where several
    would, none is named. Of an operation on axes it says how many there are, and of one by entries whether an
    axis of length 1 is missing at the end.
    """
    is_unpacked = misfit.operation in ("too many to unpack", "too few to unpack")
    if is_unpacked and source and not re.search(r"\.(shape|size)\b", source):
        return ""  # the array itself is unpacked, along its first axis
    match misfit.shapes:
        case [tuple(shape), *_] if misfit.operation in ON_AXES:
            count = say("1 axis")
            if len(shape) != 1:
                count = say("{count} axes", count=len(shape))
            return say(
                "The array has {count} here: its shape is {shape}.",
                count=count,
                shape=shape,
            )
        case [first, second] if misfit.operation == BROADCAST:
            return _missing_last_axis(first, second)
        case [tuple(shape)] if misfit.operation == RESHAPE:
            return _left_out_of_a_reshape(misfit, shape)
        case [[*axes, rows, columns], [*other_axes, other_rows, other_columns]]:
            if misfit.operation != PRODUCT or not _are_inner(misfit):
                return ""
            if broadcast_shape(tuple(axes), tuple(other_axes)) is None:
                return ""
            if not re.search(OF_TWO_ARRAYS, source):
                return ""
            fitting = []
            if rows == other_rows:
                fitting.append(say("the first one transposed"))
            if columns == other_columns:
                fitting.append(say("the second one transposed"))
            # What was computed may have the wrong shape itself. Of two arguments one may stand on the wrong side.
            arguments = [operand.argument for operand in misfit.operands]
            if other_columns == rows and None not in arguments:
                fitting.append(say("their places exchanged"))
            if len(fitting) == 1 and None in arguments:
                return say(
                    "If both are right so far, they fit with {fitting}.",
                    fitting=fitting[0],
                )
            if len(fitting) == 1:
                return say("They would fit with {fitting}.", fitting=fitting[0])
    return ""


def _missing_last_axis(first: Shape | None, second: Shape | None) -> str:
    """Say that two shapes would fit if the shorter one had an axis of length 1 at the end, or nothing."""
    shorter, longer = sorted((first or (), second or ()), key=len)
    # Of a matrix and a vector a known error says it.
    if len(shorter) < 2 or shorter != longer[:-1]:
        return ""
    return say(
        "They would fit if {shorter} had one more axis, {longer}: "
        "`keepdims=True` keeps it in a sum or maximum.",
        shorter=shorter,
        longer=(*shorter, 1),
    )


def _left_out_of_a_reshape(misfit: Misfit, shape: Shape) -> str:
    """Name the axis whose size is missing in the new shape, where there is exactly one."""
    entries, *new_shape = misfit.sizes
    places = math.prod(new_shape)
    if not places or entries % places:
        return ""
    missing = entries // places
    if missing == 1 or shape.count(missing) != 1:
        return ""
    axis = shape.index(missing)
    return say(
        "The array has {entries} entries and the new shape has room for "
        "{places}: it leaves out a factor of {missing}, which is the size "
        "of axis {axis}.",
        entries=entries,
        places=places,
        missing=missing,
        axis=axis,
    )


def typed_in(misfit: Misfit, source: str) -> str:
    """Name a whole number in a line that reshapes, if it is the size of no axis there; or return nothing.

    Args:
        misfit: what did not fit.
        source: the line.
    """
    shapes = misfit.shapes
    if misfit.operation != RESHAPE or len(shapes) != 1 or shapes[0] is None:
        return ""
    entries = math.prod(shapes[0])
    new_shape = misfit.sizes[1:]
    for number in re.findall(r"(?<![\w.\[-])\d+(?![\w.\]])", source):
        size = int(number)
        if size > 1 and size in new_shape and entries % size:
            return say(
                "The {number} in this line is hard-coded, and the array cannot be "
                "divided by it: take every size from `.shape`.",
                number=number,
            )
    return ""
