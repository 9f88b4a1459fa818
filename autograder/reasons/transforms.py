"""Mistakes that are one change of an array, a row each: a new reason of this kind is a new row.

Each table says what its changes are made to. ``relations.py`` compares wrong numbers with the changed right ones,
``probes.py`` calls a function with a changed argument, and ``turned.py`` changes the result itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.reasons.wrong import ArrayChange, Tells
from autograder.worker.wire import Array


@dataclass(frozen=True)
class Transform:
    """A mistake as a change of an array.

    Attributes:
        label: the label of the mistake.
        says: what is said to the student, with blanks for names.
        change: makes the changed array; arrays that it does not fit may raise ValueError or IndexError.
        dtype_kinds: the kinds of dtypes that the right array may have.
        least_axes: how many axes it has at least.
        tells: how much it tells of the cause.
    """

    label: str
    says: str
    change: Callable[..., Array]
    dtype_kinds: str = "fiub"
    least_axes: int = 0
    tells: Tells = Tells.RELATION


EACH_NUMBER: Sequence[Transform] = (
    Transform(
        "sign-flipped", "right except for their sign: look for a minus", np.negative
    ),
    Transform(
        "squared",
        "the squares of the right ones: is a result multiplied by itself?",
        np.square,
    ),
    Transform(
        "absolute-values",
        "right, but negative ones come back as positive ones: look for `abs`",
        np.abs,
    ),
    Transform(
        "negatives-cut",
        "right, but negative ones come back as 0: look for a ReLU, `maximum` or `clip`",
        lambda array: array.clip(0),
    ),
    Transform(
        "exponentials",
        "the exponentials of the right ones: one `exp` is too many",
        np.exp,
    ),
    Transform(
        "logarithms",
        "the logarithms of the right ones: leave the `log` out",
        np.log,
    ),
    Transform(
        "reciprocals",
        "1 divided by the right ones: what should divide what?",
        np.reciprocal,
    ),
)
"""Changes of the right numbers, each separately: the numbers that came back are …"""

ALONG_AXIS: Sequence[Transform] = (
    Transform(
        "reversed",
        "the right {0} in reverse order: look for `[::-1]` or a loop that runs "
        "backwards",
        np.flip,
    ),
    Transform(
        "shifted",
        "the right {0}, each one place too late",
        lambda array, axis: np.roll(array, 1, axis),
    ),
    Transform(
        "shifted",
        "the right {0}, each one place too early",
        lambda array, axis: np.roll(array, -1, axis),
    ),
    Transform(
        "running-sums",
        "running sums of the right {0}: set the sum back to 0",
        np.cumsum,
        tells=Tells.CAUSE,
    ),
    Transform("sorted", "right, but sorted along each {1}: look for a `sort`", np.sort),
    Transform(
        "sorted",
        "right, but sorted along each {1}: look for a `sort`",
        lambda array, axis: -np.sort(-array, axis),
    ),
    Transform(
        "reshaped",
        "right, but moved as by a `reshape`: use `.T`, or `np.hstack` for a list of columns",
        lambda array, axis: array.T.reshape(array.shape),
    ),
)
"""The same along an axis: {0} is the plural of what one place along it is called, {1} the axis before it."""

WITH_ARGUMENT: Sequence[Transform] = (
    Transform(
        "argument-too-often",
        "{argument} is added to it",
        lambda right, argument: right + argument,
    ),
    Transform(
        "argument-too-often",
        "{argument} is subtracted from it, or never added",
        lambda right, argument: right - argument,
    ),
    Transform(
        "argument-too-often",
        "it is multiplied by {argument} once too often (`@`)",
        lambda right, argument: argument @ right,
    ),
    Transform(
        "argument-too-often",
        "it is multiplied by {argument} from the right, once too often (`@`)",
        lambda right, argument: right @ argument,
    ),
)
"""Changes of the right numbers by an argument, in one of its forms: the result would be right, but …

``argument`` is the argument in that form.
"""
ARGUMENT_FORMS: Mapping[str, ArrayChange] = {
    "{name}": lambda array: array,
    "{name} transposed": lambda array: array.T,
    "{name}'s first row": lambda array: array[:1],
    "{name}'s mean over the rows": lambda array: (
        array.sum(0, keepdims=True) / max(1, len(array))
    ),
    "{name}'s sum over the rows": lambda array: array.sum(0, keepdims=True),
}
"""The forms in which an argument is used, in words."""

OF_ARGUMENT: Sequence[Transform] = (
    Transform("argument-negated", "with the other sign: look for a minus", np.negative),
    Transform("argument-twice", "halved: is it used twice?", lambda array: array / 2),
    Transform(
        "argument-halved",
        "doubled: is it halved somewhere?",
        lambda array: array * 2,
    ),
    Transform(
        "argument-reversed",
        "in reverse order: look for `[::-1]` or `flip`",
        lambda array: array[::-1],
    ),
    Transform(
        "argument-reversed",
        "with its columns reversed: look for `flip`, for `[::-1]`, or for a function that reverses an "
        "argument, as `np.convolve` does",
        lambda array: array[:, ::-1],
    ),
    Transform(
        "argument-shifted",
        "shifted by one place: look at the indices",
        lambda array: np.roll(array, -1, 0),
    ),
    Transform(
        "reshaped",
        "in the order of `.T`: a `reshape` does not transpose",
        lambda array: array.T.reshape(array.shape),
    ),
    Transform(
        "argument-transposed",
        "transposed: look for a `.T` too many or missing",
        lambda array: array.T,
    ),
)
"""Changes of one argument that undo a mistake: the result would be right if the argument were passed …"""

OF_RESULT: Sequence[Transform] = (
    Transform(
        "returns-transposed",
        "{result} is transposed: exchange {exchange}.",
        lambda array: array.swapaxes(-1, -2),
        least_axes=2,
    ),
    Transform(
        "mask-inverted",
        "{result} is inverted: True and False are swapped. Does True mean what "
        "the handout says, such as “allowed”?",
        lambda array: 1 - array.astype(float),
        dtype_kinds="b",
    ),
)
"""Changes of a result that undo a mistake, with the name of the result, and the axes to exchange."""
