"""Say in words of ours what did not fit where an exception is about shapes, and what would fit.

Everything here is a fact about the arrays that met in a run of public cases; why they met is not known.
"""

from __future__ import annotations

import math
import re

from autograder.verdict.misfits import BROADCAST, PRODUCT, RESHAPE, Misfit, Shape

AXES = frozenset(
    {"too many to unpack", "too few to unpack", "transpose", "too many indices", "axis"}
)
"""Operations that take or name more axes, or fewer, than the array has."""


def in_words(misfit: Misfit) -> str:
    """Return what a message says, in words of ours; nothing where the library's own say it as well."""
    if misfit.operation == PRODUCT and len(misfit.sizes) == 2:
        first, second = misfit.sizes
        which = "the inner sizes" if _are_inner(misfit) else "the sizes"
        return f"{which} {first} and {second} of a product differ"
    return ""


def _are_inner(misfit: Misfit) -> bool:
    """Whether the sizes of a product that differ are the inner ones, and not those of its leading axes."""
    shapes = [operand.shape for operand in misfit.operands]
    if (
        len(shapes) != 2
        or shapes[0] is None
        or shapes[1] is None
        or not (shapes[0] and shapes[1])
    ):
        return True  # such a message is about inner sizes
    inner = shapes[0][-1], shapes[1][-2 if len(shapes[1]) > 1 else -1]
    return misfit.sizes == inner


def what_would_fit(misfit: Misfit) -> str:
    """Return a sentence about the shapes that met, or nothing.

    Of a product it names the one transposition or exchange after which the operands would fit; where several
    would, none is named. Of an operation on axes it says how many there are, and of one by entries whether an
    axis of length 1 is missing at the end.
    """
    shapes = [operand.shape for operand in misfit.operands]
    if misfit.operation in AXES and shapes and shapes[0] is not None:
        return f"The array has {_axes(shapes[0])} here: its shape is {shapes[0]}."
    if misfit.operation == BROADCAST and len(shapes) == 2:
        shorter, longer = sorted((shape or () for shape in shapes), key=len)
        if (
            len(shorter) > 1 and shorter == longer[:-1]
        ):  # of a matrix and a vector a known error says it
            kept = "`keepdims=True` keeps it in a sum or maximum"
            return f"They would fit if {shorter} had one more axis, {(*shorter, 1)}: {kept}."
        return ""
    if misfit.operation == RESHAPE and len(shapes) == 1 and shapes[0] is not None:
        return _left_out_of_a_reshape(misfit, shapes[0])
    if misfit.operation != PRODUCT or len(shapes) != 2 or not _are_inner(misfit):
        return ""
    first, second = shapes
    if first is None or second is None or min(len(first), len(second)) < 2:
        return ""
    changes = {
        "the first one transposed": first[-2] == second[-2],
        "the second one transposed": first[-1] == second[-1],
        "their places exchanged": second[-1] == first[-2],
    }
    fitting = [change for change, fits in changes.items() if fits]
    return f"They would fit with {fitting[0]}." if len(fitting) == 1 else ""


def _left_out_of_a_reshape(misfit: Misfit, shape: Shape) -> str:
    """Name the axis whose size is missing in the new shape, where there is exactly one."""
    entries, *new_shape = misfit.sizes
    places = math.prod(new_shape)
    if not places or entries % places:
        return ""
    missing = entries // places
    axes = [axis for axis, size in enumerate(shape) if size == missing]
    if len(axes) != 1 or missing == 1:
        return ""
    return (
        f"The array has {entries} entries and the new shape has room for {places}: it leaves out a factor of "
        f"{missing}, which is the size of axis {axes[0]}."
    )


def typed_in(misfit: Misfit, source: str) -> str:
    """Name a whole number in a line that reshapes, if it is the size of no axis there; or return nothing."""
    shapes = [operand.shape for operand in misfit.operands]
    if misfit.operation != RESHAPE or len(shapes) != 1 or shapes[0] is None:
        return ""
    new_shape = misfit.sizes[1:]
    for number in re.findall(r"(?<![\w.\[-])\d+(?![\w.\]])", source):
        size = int(number)
        if size > 1 and size in new_shape and math.prod(shapes[0]) % size:
            return (
                f"The {number} in this line is typed in, and the array cannot be divided by it: take every size "
                "from `.shape`."
            )
    return ""


def _axes(shape: Shape) -> str:
    return f"{len(shape)} axis" if len(shape) == 1 else f"{len(shape)} axes"
