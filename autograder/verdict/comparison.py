"""Compare one answer with its expected value.

The order is fixed: type and arity, shape, dtype kind, finite, values. Shapes must be equal, nothing is
broadcast, and only decoded arrays are touched, never a method that a student could have written.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    KINDS,
    MOST_ITEMS,
    MOST_ORDERED,
    MOST_PARTS,
    UNSENDABLE_DTYPE,
    as_array,
    as_entries,
    as_numbers,
    as_rectangle,
    deviation,
    kind_of,
    kinds_like,
    leaves,
    of_one_shape,
    room_for,
    shape_of,
    split,
    wrong_entries,
)
from autograder.verdict.describe import describe_values
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Masked, Unsendable

Names = Sequence[str]
NUMBERS_FOR_BOOLEANS = "numbers-for-booleans"
FAR_BELOW = -1e4
"""Scores to which so much is added have a weight of 0 after the softmax."""
LOOP_ENDS = "does the `return` stand inside a loop, or does the loop end too early?"


def compare_values(
    value: Any,
    expected: Any,
    tolerance: float,
    names: Names = (),
    only_booleans: bool = False,
) -> Failure | None:
    """Return what is wrong with a returned value, or None.

    Args:
        value: the decoded answer: arrays, ``Tensor``, numbers, lists and tuples of them, ``Unsendable``.
        expected: an array, or a tuple or list of arrays.
        tolerance: the largest allowed difference, relative to the larger of 1 and the expected magnitude.
        names: what the parts of an expected tuple are called, or the single returned array.
        only_booleans: where booleans are expected, 0 and 1 are not right.
    """
    if isinstance(expected, tuple | list):
        return _compare_parts(value, expected, tolerance, names, only_booleans)
    title = names[0] if names else "result"
    if title.isidentifier() or " " in title:
        title = f"the {title.replace('_', ' ')}"
    return _compare_array(value, expected, tolerance, title, only_booleans)


def compare_case(
    known: KnownCase,
    value: Any,
    names: Names = (),
    *,
    only_booleans: bool = False,
) -> Failure | None:
    """Compare a value with the one that a case expects.

    Args:
        known: the case; where it expects nothing, no value is wrong.
        value: the decoded answer.
        names: names of the returned parts, or of the single returned array.
        only_booleans: where booleans are expected, 0 and 1 are not right.

    Returns:
        The failure, with the case as it was judged; None for a right value.
    """
    if not known.case.expects:
        return None
    failure = compare_values(
        value, known.expected, known.tolerance, names, only_booleans
    )
    if failure is None:
        return None
    return replace(failure, judged=JudgedCase(known, Answer(value), names))


def _compare_parts(
    value: Any,
    expected: Sequence[Any],
    tolerance: float,
    names: Names,
    only_booleans: bool,
) -> Failure | None:
    parts, count = split(value, expected), len(expected)
    if parts is None:
        wanted = (
            f"{count} values ({', '.join(names)})"
            if len(names) > 1
            else f"{count} items"
        )
        with explaining("what came back instead of several parts"):
            return _not_the_parts(value, expected, tolerance, names, wanted)
        return _finding(FailureKind.ARITY, f"Expected are {wanted}.")
    if len(names) != count:  # one name stands for a list of like items
        names = [f"{names[0] if names else 'item'} {i}" for i in range(count)]
    for part, one, name in zip(parts, expected, names, strict=True):
        finding = compare_values(part, one, tolerance, [name], only_booleans)
        if finding is None:
            continue
        with explaining("whether the parts are exchanged"):
            if count <= MOST_ORDERED and isinstance(expected, tuple):
                orders = itertools.permutations(parts)
                if any(deviation(order, expected) <= tolerance for order in orders):
                    number = "two" if count == 2 else "three"
                    order_of_names = f"return ({', '.join(names)})"
                    text = f"The {number} returned values are right but in the wrong order: {order_of_names}."
                    finding = _finding(
                        FailureKind.ARITY,
                        text,
                        "weights-context-swapped" if count == 2 else "",
                    )
        return finding
    return None


def _not_the_parts(
    value: Any, expected: Sequence[Any], tolerance: float, names: Names, wanted: str
) -> Failure:
    """Say what came back in place of several parts, or how many of them."""
    count, label = len(expected), "returns-nothing" if value is None else ""
    came = value if isinstance(value, tuple | list) and len(names) < 2 else ()
    if 0 < len(came) < count and max(map(deviation, came, expected)) <= tolerance:
        text = f"Only the first {len(came)} of {count} items came back, and right: {LOOP_ENDS}"
        return _finding(FailureKind.ARITY, text, "ends-early")
    text = f"It returned {kind_of(value)}; expected are {wanted}."
    array = as_array(value)
    # A part that is a tuple itself has no shape.
    shapes = [part.shape if isinstance(part, np.ndarray) else None for part in expected]
    if (
        array is not None
        and array.ndim > 0
        and len(names) == count
        and shapes.count(array.shape) == 1
    ):
        name = names[shapes.index(array.shape)]
        text += f" It has the shape of the {name}: return the others as well."
    return _finding(FailureKind.ARITY, text, label)


def _compare_array(
    value: Any, expected: Any, tolerance: float, title: str, only_booleans: bool
) -> Failure | None:
    """Look at type, shape, dtype kind, finiteness and values, and stop at the first that is wrong."""
    wanted = as_entries(expected)
    if wanted is None:  # our fault, which must not look like a failed check
        raise TypeError(
            f"the expected value of {title} is not an array of numbers or booleans"
        )
    array = as_rectangle(value, room_for(wanted))
    # A tuple of arrays of one shape can be stacked, so an axis too many says that a tuple came back.
    if array is None or (isinstance(value, tuple | list) and array.ndim > wanted.ndim):
        with explaining(f"what came back for {title}"):
            return _not_an_array(value, wanted, tolerance, title)
        return _finding(FailureKind.ARITY, f"{title}: expected is an array.")
    are_booleans = wanted.dtype.kind == "b"
    if array.shape != wanted.shape:
        text = f"The shape of {title} is {shape_of(array)}; expected is {wanted.shape}."
        for axis in range(array.ndim - 1):
            first, second = array.shape[axis : axis + 2]
            joined = (*array.shape[:axis], first * second, *array.shape[axis + 2 :])
            if joined == wanted.shape and min(first, second) > 1:
                text += f" Of the two axes of {first} and {second}, one of {first * second} has to be made."
                break
        finding = _finding(FailureKind.SHAPE, text)
        with explaining(f"whether one row of {title} came back"):
            has_rows = wanted.ndim > 1 and len(wanted) > 1
            for place, part in (
                (("first", wanted[:1]), ("last", wanted[-1:])) if has_rows else ()
            ):
                if (
                    array.size == part.size
                    and deviation(array.reshape(part.shape), part) <= tolerance
                ):
                    overwrites = (
                        "does each turn of a loop overwrite the one before, or is an array taken "
                        "apart as if it were several values?"
                    )
                    look = LOOP_ENDS if place == "first" else overwrites
                    says = (
                        f"{text} What came back is the right {place} row alone: {look}"
                    )
                    return _finding(FailureKind.SHAPE, says, "one-row-alone")
    elif array.dtype.kind not in kinds_like(wanted):
        return _wrong_dtype(str(array.dtype), title, wanted)
    elif (
        are_booleans
        and (array < 0).any()
        and ((array == 0) | (array <= FAR_BELOW)).all()
    ):
        text = f"An additive mask came back for {title}, of 0 and very small numbers; expected are booleans"
        with explaining(f"whether {title} has its zeros in the right places"):
            if np.array_equal(array == 0, wanted):
                text += ": return `mask == 0`"
            elif np.array_equal(array != 0, wanted):
                text += ", and 0 stands where they are False"
            else:
                text += ", and 0 stands in other places than True should"
        return _finding(FailureKind.DTYPE, f"{text}.", "mask-additive")
    else:
        wrong = wrong_entries(array, wanted, tolerance)
        if isinstance(value, Masked) and wrong.any() and value.mask[wrong].all():
            masked = (
                f"{int(value.mask.sum())} of {array.size} entries of {title} are masked"
            )
            text = f"{masked}, and all others are right: fill them, as in `.filled(0)`."
            return _finding(FailureKind.VALUES, text, "masked-entries")
        bad = wrong & (np.isnan(array) | (np.isinf(array) & np.isfinite(wanted)))
        if bad.any():
            text = f"{int(bad.sum())} of {array.size} entries of {title} are NaN or infinite."
            return _finding(FailureKind.NOT_FINITE, text)
        if not wrong.any():
            if not (only_booleans and are_booleans) or array.dtype.kind == "b":
                return None
            text = f"The dtype of {title} is {array.dtype}; expected are booleans"
            text += ": compare, as in `mask == 1`, or use `.astype(bool)`."
            return _finding(FailureKind.DTYPE, text, NUMBERS_FOR_BOOLEANS)
        finding = _finding(
            FailureKind.VALUES,
            f"{int(wrong.sum())} of {wrong.size} numbers of {title} are wrong.",
        )
        with explaining(f"which numbers of {title} are wrong"):
            finding = _finding(
                FailureKind.VALUES, describe_values(array, wanted, wrong, title)
            )
    is_chance = (
        are_booleans and array.shape == wanted.shape
    )  # a small mask; see ``general.turned``
    with explaining(f"whether {title} is transposed"):
        if (
            array.ndim == 2
            and not is_chance
            and deviation(array.T, wanted) <= tolerance
        ):
            text = f"What came back for {title} is right but transposed: exchange rows and columns (`.T`)."
            return _finding(FailureKind.SHAPE, text, "returns-transposed")
    return finding


def _not_an_array(value: Any, expected: Array, tolerance: float, title: str) -> Failure:
    """Say what came back in place of one array."""
    if value is None:
        text = "It returned nothing (None): is a `return` missing? To `print` a result does not return it."
        return _finding(FailureKind.ARITY, text, "returns-nothing")
    items = value[:MOST_PARTS] if isinstance(value, tuple | list) else ()
    places = [
        place
        for place, item in enumerate(items)
        if of_one_shape(item, expected) is not None
    ]
    # Of several that may be meant none is named: to say which one is right would grade a list of guesses.
    if len(places) == 1 and deviation(items[places[0]], expected) <= tolerance:
        item = f"item {places[0]}" if len(value) <= MOST_ITEMS else "one item"
        text = f"The right array comes back as {item} of {kind_of(value)}: return the array alone."
        return _finding(
            FailureKind.ARITY,
            text,
            "returns-tuple" if len(value) == 1 else "returns-extra",
        )
    if len(places) > 1:
        text = f"{title}: {kind_of(value)} came back, in which more than one array may be meant"
        return _finding(
            FailureKind.ARITY,
            f"{text}; expected is one array: return the one that is asked for.",
            "returns-extra",
        )
    if isinstance(value, Unsendable) and value.description.startswith(UNSENDABLE_DTYPE):
        return _wrong_dtype(
            kind_of(value).removeprefix(UNSENDABLE_DTYPE), title, expected
        )
    held = itertools.islice(leaves(value), room_for(expected))
    if any(isinstance(leaf, int) and as_numbers(leaf) is None for leaf in held):
        wanted = KINDS.get(expected.dtype.kind, "real numbers")
        text = f"{title}: a whole number too large for an array came back; expected are {wanted}."
        return _finding(FailureKind.DTYPE, text)
    return _finding(
        FailureKind.ARITY, f"{title}: {kind_of(value)} came back; expected is an array."
    )


def _wrong_dtype(dtype: str, title: str, expected: Array) -> Failure:
    wanted = KINDS.get(expected.dtype.kind, "real numbers")
    text = f"The dtype of {title} is {dtype}; expected are {wanted}."
    if dtype == "object":
        wanted = wanted.removeprefix("real ")
        text = f"{title}: an array of objects, not of {wanted}: do its rows have different lengths or types?"
    return _finding(FailureKind.DTYPE, text)


def _finding(kind: FailureKind, text: str, label: str = "") -> Failure:
    return Failure(
        kind, text[0].upper() + text[1:], misconceptions=(label,) if label else ()
    )
