"""Compare one answer with its expected value.

The order is fixed: type and number of parts, shape, kind of dtype, finite numbers, values. Shapes must be equal,
and nothing is broadcast. The verdict depends on ``arrays.py`` and ``kinds.py``; everything below an
``explaining`` line makes its text better.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autograder.language import say
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    as_entries,
    as_numbers,
    as_rectangle,
    deviation,
    is_plainly_right,
    kinds_like,
    leaves,
    of_one_shape,
    room_for,
    split,
    wrong_entries,
)
from autograder.verdict.describe import (
    MOST_ITEMS,
    count_of,
    describe,
    dtype_not_sent,
    shape_of,
)
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.kinds import (
    RESULT,
    STEPS,
    exceptions_in,
    header_difference,
    is_alike,
    is_builtin_exception,
    is_exception,
    structure_like,
    structure_of,
)
from autograder.verdict.known import OPEN, FailedCase, KnownCase
from autograder.verdict.titles import with_article
from autograder.verdict.wrong_numbers import describe_values
from autograder.worker.composites import SEQUENCES
from autograder.worker.steps import RESULT_OF
from autograder.worker.wire import Array, Masked

Names = Sequence[str]


class DtypeDemand(NamedTuple):
    """What a task asks of the dtype of its answers, beside their numbers.

    Attributes:
        kinds: the kinds of dtypes that fulfil it, as in ``dtype.kind``.
        name: what is asked for.
        sentence: what a student reads, for ``say``.
        label: what answers of another dtype are called.
    """

    kinds: str
    name: str
    sentence: str
    label: str

    def is_missed(self, array: Array, right: Array) -> bool:
        """Return whether the expected array has the demanded dtype and the answer has not.

        An empty expected array demands nothing.
        """
        is_demanded = right.size > 0 and right.dtype.kind in self.kinds
        return is_demanded and array.dtype.kind not in self.kinds


DEMANDED_DTYPES = {
    "bool": DtypeDemand(
        "b",
        "booleans",
        "The dtype of {title} is {dtype}; expected booleans: compare, as "
        "in `mask == 1`, or use `.astype(bool)`.",
        "numbers-for-booleans",
    ),
    "int": DtypeDemand(
        "iu",
        "whole numbers",
        "The dtype of {title} is {dtype}; expected whole numbers: make the array with "
        "`dtype=int`, or use `.astype(int)`.",
        "floats-for-integers",
    ),
}
"""By the ``dtype`` of a task in homework.toml."""
FAR_BELOW = -1e4
"""Scores to which this is added have a weight of 0 after the softmax."""
MOST_ORDERED = 3
"""Of at most so many returned values every order is tried."""
MISSING_RETURN = "is a `return` missing? To `print` a result does not return it."
LOOP_ENDS = "is the `return` inside a loop, or does the loop end too early?"
LOOP_OVERWRITES = (
    "does each pass of a loop overwrite the one before, or is an array taken apart "
    "as if it were several values?"
)


def compare_case(
    known: KnownCase,
    value: Any,
    names: Names = (),
    *,
    dtype: str | None = None,
) -> Failure | None:
    """Compare a value with the one that a case expects.

    Args:
        known: the case; where it expects nothing, no value is wrong.
        value: the decoded answer.
        names: names of the returned parts, or of the single returned array.
        dtype: what the task asks for: with "bool" 0 and 1 are not right, with "int" floats are not.

    Returns:
        The failure, with the case as it was judged; None for a right value.
    """
    if not known.case.expects:
        return None
    if known.is_structured:
        # Keys and columns may come from a hidden input: they are said if the homework says them anyway.
        names_to_say = None if known.case.group in OPEN else names
        name = say(RESULT)
        if len(names) == 1:
            name = names[0]
        title = with_article(name)
        failure = _compare_by_kind(
            value, known.expected, known.tolerance, title, names, names_to_say
        )
    else:
        failure = compare_values(value, known.expected, known.tolerance, names, dtype)
    if failure is None:
        return None
    return replace(failure, failed_case=FailedCase(known, Answer(value), names))


def compare_values(
    value: Any,
    expected: Any,
    tolerance: float,
    names: Names = (),
    dtype: str | None = None,
) -> Failure | None:
    """Return what is wrong with a returned value, or None.

    Args:
        value: the decoded answer: arrays, ``Tensor``, numbers, lists and tuples of them, ``Unsendable``.
        expected: an array, or a tuple or list of arrays.
        tolerance: the largest allowed difference, relative to the larger of 1 and the expected magnitude.
        names: names of the parts of an expected tuple, or of the single returned array.
        dtype: what the task asks for: with "bool" 0 and 1 are not right, with "int" floats are not.
    """
    if isinstance(expected, SEQUENCES):
        return _compare_parts(value, expected, tolerance, names, dtype)
    if is_plainly_right(value, expected, tolerance):
        return None
    title = say("result")
    if names:
        title = names[0]
    if title.isidentifier() or " " in title:
        title = with_article(title)
    return _compare_array(value, expected, tolerance, title, dtype)


def _compare_by_kind(
    value: Any,
    expected: Any,
    tolerance: float,
    title: str,
    names: Names,
    names_to_say: Names | None,
) -> Failure | None:
    """Compare a value that is not only arrays: its kind, its header, and then each of its children.

    Args:
        value: the decoded answer.
        expected: the expected one.
        tolerance: that of the numbers in it.
        title: what the value is called.
        names: names of the parts of an expected tuple.
        names_to_say: names from the data that may be said, see ``Structure.title_of``.
    """
    right = structure_of(expected)
    if right is None:
        if is_plainly_right(value, expected, tolerance):
            return None
        return _compare_array(value, expected, tolerance, title, dtype=None)
    answer = structure_like(value, right)
    if answer is None or answer.kind != right.kind:
        answer_kind = describe(value) if answer is None else answer.name
        text = say(
            "{title}: {came} came back; expected {kind}.",
            title=title,
            came=answer_kind,
            kind=right.expected_as,
        )
        if value is None:
            text = f"{text} {say(MISSING_RETURN)}"
            return _failure(FailureKind.ARITY, text, "returns-nothing")
        return _failure(FailureKind.ARITY, text)
    if not is_alike(answer, right):
        kind = FailureKind.VALUES if right.header else FailureKind.ARITY
        return _failure(kind, header_difference(answer, right, title))
    for place, (name, child) in enumerate(right.children.items()):
        child_title = right.title_of(name, title, names_to_say)
        if len(names) == len(right.children) and isinstance(expected, tuple):
            child_title = with_article(names[place])
        child_answer = answer.child(name, child)
        failure = None
        if right.kind == STEPS:
            is_result = name.startswith(RESULT_OF)
            failure = _without_value(child_answer, child, child_title, is_result)
        if failure is None:
            failure = _compare_by_kind(
                child_answer, child, tolerance, child_title, (), names_to_say
            )
        if failure is not None:
            return failure
    return None


def _without_value(
    value: Any, expected: Any, title: str, is_result: bool
) -> Failure | None:
    """Say of a step with an object that it raised, or that nothing came of it, where something else is right.

    Args:
        value: what the step gave.
        expected: what it should give.
        title: what the step is called.
        is_result: a method was called, so that a `return` may be missing.
    """
    raised = next(exceptions_in(value), "")
    if raised and raised not in exceptions_in(expected):
        if not is_builtin_exception(raised):  # a submission may have chosen the word
            raised = say("an exception")
        text = say("{title}: {exception} was raised.", title=title, exception=raised)
        right = structure_of(expected)
        if right is not None and is_exception(expected):
            text = say(
                "{title}: {exception} was raised; expected {kind}.",
                title=title,
                exception=raised,
                kind=right.expected_as,
            )
        return _failure(FailureKind.RAISED, text)
    if value is not None or expected is None or is_exception(expected):
        return None
    if is_result:
        question = say(MISSING_RETURN)
        text = say(
            "{title} is nothing (None): {question}", title=title, question=question
        )
        return _failure(FailureKind.ARITY, text, "returns-nothing")
    text = say("{title} is nothing (None); expected a value.", title=title)
    return _failure(FailureKind.ARITY, text)


def _compare_parts(
    value: Any,
    expected: Sequence[Any],
    tolerance: float,
    names: Names,
    dtype: str | None,
) -> Failure | None:
    """Compare the parts of a tuple or list one by one; the first wrong one is the failure."""
    count = len(expected)
    parts = split(value, expected)
    if parts is None:
        if len(names) > 1:
            description = say(
                "{count} values ({names})", count=count, names=", ".join(names)
            )
        else:
            description = say("{count} items", count=count)
        with explaining("what came back instead of several parts"):
            return _not_the_parts(value, expected, tolerance, names, description)
        return _failure(
            FailureKind.ARITY, say("Expected {description}.", description=description)
        )

    if len(names) != count:  # one name stands for a list of like items
        item = say("item")
        if names:
            item = names[0]
        names = [f"{item} {place}" for place in range(count)]
    for part, right, name in zip(parts, expected, names, strict=True):
        failure = compare_values(part, right, tolerance, [name], dtype)
        if failure is None:
            continue
        if failure.kind is FailureKind.DTYPE:
            # Its numbers may be right, and so the parts in order.
            return failure
        with explaining("whether the parts are exchanged"):
            if _are_exchanged(parts, expected, tolerance):
                number = "three"
                label = ""
                if count == 2:
                    number = "two"
                    label = "weights-context-swapped"
                text = say(
                    "The {number} returned values are right but in the wrong order: "
                    "return ({names}).",
                    number=number,
                    names=", ".join(names),
                )
                return _failure(FailureKind.ARITY, text, label)
        return failure
    return None


def _are_exchanged(
    parts: Sequence[Any], expected: Sequence[Any], tolerance: float
) -> bool:
    """Return whether the parts are right in another order."""
    if len(parts) > MOST_ORDERED or not isinstance(expected, tuple):
        return False
    _, *other_orders = itertools.permutations(parts)
    return any(deviation(order, expected) <= tolerance for order in other_orders)


def _not_the_parts(
    value: Any,
    expected: Sequence[Any],
    tolerance: float,
    names: Names,
    description: str,
) -> Failure:
    """Say what came back instead of several parts, or how many of them."""
    count = len(expected)
    are_items = isinstance(value, SEQUENCES) and len(names) < 2
    if are_items and 0 < len(value) < count:
        if max(map(deviation, value, expected)) <= tolerance:
            text = say(
                "Only the first {length} of {count} items came back, and they are "
                "right: {question}",
                length=len(value),
                count=count,
                question=say(LOOP_ENDS),
            )
            return _failure(FailureKind.ARITY, text, "ends-early")

    text = say(
        "It returned {kind}; expected {description}.",
        kind=describe(value),
        description=description,
    )
    array = as_array(value)
    if array is not None and array.ndim > 0 and len(names) == count:
        # A part that is a tuple itself has no shape.
        shapes = [getattr(part, "shape", None) for part in expected]
        if shapes.count(array.shape) == 1:
            name = names[shapes.index(array.shape)]
            text += " " + say(
                "It has the shape of the {name}: return the others as well.", name=name
            )
    label = ""
    if value is None:
        label = "returns-nothing"
    return _failure(FailureKind.ARITY, text, label)


def _compare_array(
    value: Any, expected: Any, tolerance: float, title: str, dtype: str | None
) -> Failure | None:
    """Look at type, shape, dtype kind, finiteness and values, and stop at the first that is wrong."""
    right = as_entries(expected)
    if right is None:  # our fault, which must not look like a failed check
        raise TypeError(
            f"the expected value of {title} is not an array of numbers or booleans"
        )
    array = as_rectangle(value, room_for(right))

    # A tuple of arrays of one shape can be stacked: one axis too many says that a tuple came back.
    is_tuple = isinstance(value, SEQUENCES)
    if array is None or (is_tuple and array.ndim > right.ndim):
        with explaining(f"what came back for {title}"):
            return _not_an_array(value, right, tolerance, title)
        return _failure(
            FailureKind.ARITY, say("{title}: expected an array.", title=title)
        )

    if array.shape != right.shape:
        failure = _wrong_shape(array, right, tolerance, title)
    elif array.dtype.kind not in kinds_like(right):
        return _wrong_dtype(str(array.dtype), title, right)
    elif _is_additive_mask(array, right):
        return _additive_mask(array, right, title)
    else:
        wrong = wrong_entries(array, right, tolerance)
        if not wrong.any():
            if dtype is not None and DEMANDED_DTYPES[dtype].is_missed(array, right):
                demand = DEMANDED_DTYPES[dtype]
                text = say(demand.sentence, title=title, dtype=array.dtype)
                return _failure(FailureKind.DTYPE, text, demand.label)
            return None
        if isinstance(value, Masked) and value.mask[wrong].all():
            text = say(
                "{count} masked, and all others are right: fill them, as in "
                "`.filled(0)`.",
                count=count_of(value.mask, "entries", title),
            )
            return _failure(FailureKind.VALUES, text, "masked-entries")
        is_infinite = np.isinf(array) & np.isfinite(right)
        not_finite = wrong & (np.isnan(array) | is_infinite)
        if not_finite.any():
            text = say(
                "{count} NaN or infinite.", count=count_of(not_finite, "entries", title)
            )
            return _failure(FailureKind.NOT_FINITE, text)
        text = say("{count} wrong.", count=count_of(wrong, "numbers", title))
        with explaining(f"which numbers of {title} are wrong"):
            text = describe_values(array, right, wrong, title)
        failure = _failure(FailureKind.VALUES, text)

    with explaining(f"whether {title} is transposed"):
        # Small square masks are their own transposes by chance; see ``general.turned``.
        may_be_chance = right.dtype.kind == "b" and array.shape == right.shape
        if array.ndim == 2 and not may_be_chance:
            if deviation(array.T, right) <= tolerance:
                text = say(
                    "The value returned for {title} is right but transposed: exchange "
                    "rows and columns (`.T`).",
                    title=title,
                )
                return _failure(FailureKind.SHAPE, text, "returns-transposed")
    return failure


FLAT = (
    "All of its numbers stand in a single axis, as `np.append` without an axis and "
    "`np.hstack` of rows leave them: collect the rows in a list, and make an array of "
    "it at the end, as in `np.vstack(rows)`."
)
"""What is said of an array that lost its rows."""


def _wrong_shape(array: Array, right: Array, tolerance: float, title: str) -> Failure:
    """Say which shape came back, with a hint: axes were not merged, or only one of many rows came back."""
    text = say(
        "The shape of {title} is {shape}; expected {expected}.",
        title=title,
        shape=shape_of(array),
        expected=right.shape,
    )
    for axis in range(array.ndim - 1):
        first, second = array.shape[axis : axis + 2]
        before = array.shape[:axis]
        after = array.shape[axis + 2 :]
        joined = (*before, first * second, *after)
        if joined == right.shape and min(first, second) > 1:
            text += " " + say(
                "Of the two axes of {first} and {second}, one of {product} should be made.",
                first=first,
                second=second,
                product=first * second,
            )
            break

    is_flat = array.ndim == 1 and right.ndim > 1 and array.size == right.size
    if is_flat and min(right.shape) > 1:
        text += " " + say(FLAT)

    with explaining(f"whether one row of {title} came back"):
        if right.ndim > 1 and len(right) > 1:
            rows = (
                ("first", right[:1], LOOP_ENDS),
                ("last", right[-1:], LOOP_OVERWRITES),
            )
            for place, row, question in rows:
                if array.size != row.size:
                    continue
                if deviation(array.reshape(row.shape), row) <= tolerance:
                    says = say(
                        "{fact} Only the {place} row came back, and it is right: {question}",
                        fact=text,
                        place=say(place),
                        question=say(question),
                    )
                    return _failure(FailureKind.SHAPE, says, "one-row-alone")
    return _failure(FailureKind.SHAPE, text)


def _is_additive_mask(array: Array, right: Array) -> bool:
    """Return whether an array is a mask to be added to scores, where booleans are expected."""
    if right.dtype.kind != "b" or not (array < 0).any():
        return False
    return bool(((array == 0) | (array <= FAR_BELOW)).all())


def _additive_mask(array: Array, right: Array, title: str) -> Failure:
    text = say(
        "An additive mask came back for {title}, made of 0 and very small "
        "numbers; expected booleans",
        title=title,
    )
    with explaining(f"whether {title} has its zeros in the right places"):
        if np.array_equal(array == 0, right):
            text += say(": return `mask == 0`")
        elif np.array_equal(array != 0, right):
            text += say(", and 0 is where they are False")
        else:
            text += say(", and 0 is not where True should be")
    return _failure(FailureKind.DTYPE, f"{text}.", "mask-additive")


def _not_an_array(value: Any, expected: Array, tolerance: float, title: str) -> Failure:
    """Say what came back instead of one array."""
    if value is None:
        question = say(MISSING_RETURN)
        text = say("It returned nothing (None): {question}", question=question)
        return _failure(FailureKind.ARITY, text, "returns-nothing")

    items = value[:MOST_PARTS] if isinstance(value, SEQUENCES) else ()
    places = []
    for place, item in enumerate(items):
        if of_one_shape(item, expected) is not None:
            places.append(place)
    # Of several arrays that may be meant none is named: to say which is right would grade a list of guesses.
    if len(places) == 1 and deviation(items[places[0]], expected) <= tolerance:
        item = say("one item")
        if len(value) <= MOST_ITEMS:
            item = say("item {place}", place=places[0])
        text = say(
            "The right array comes back as {item} of {kind}: return only the array.",
            item=item,
            kind=describe(value),
        )
        label = "returns-extra"
        if len(value) == 1:
            label = "returns-tuple"
        return _failure(FailureKind.ARITY, text, label)
    if len(places) > 1:
        text = say(
            "{title}: {kind} came back, in which more than one array may be "
            "meant; expected one array: return the one that is asked for.",
            title=title,
            kind=describe(value),
        )
        return _failure(FailureKind.ARITY, text, "returns-extra")

    dtype = dtype_not_sent(value)
    if dtype:
        return _wrong_dtype(dtype, title, expected)
    for leaf in itertools.islice(leaves(value), room_for(expected)):
        if isinstance(leaf, int) and as_numbers(leaf) is None:
            text = say(
                "{title}: a whole number too large for an array came back; "
                "expected {numbers}.",
                title=title,
                numbers=_numbers_like(expected),
            )
            return _failure(FailureKind.DTYPE, text)
    text = say(
        "{title}: {kind} came back; expected an array.",
        title=title,
        kind=describe(value),
    )
    return _failure(FailureKind.ARITY, text)


def _wrong_dtype(dtype: str, title: str, expected: Array) -> Failure:
    numbers = _numbers_like(expected)
    text = say(
        "The dtype of {title} is {dtype}; expected {numbers}.",
        title=title,
        dtype=dtype,
        numbers=numbers,
    )
    if dtype == "object":
        text = say(
            "{title}: an array of objects, not of {numbers}: do its rows have "
            "different lengths or types?",
            title=title,
            numbers=numbers.removeprefix("real "),
        )
    return _failure(FailureKind.DTYPE, text)


def _numbers_like(expected: Array) -> str:
    if expected.dtype.kind == "b":
        return say("booleans")
    return say("real numbers")


def _failure(kind: FailureKind, text: str, label: str = "") -> Failure:
    """Return a failure with one label; its text begins with a capital letter."""
    sentence = text[0].upper() + text[1:]
    labels = (label,) if label else ()
    return Failure(kind, sentence, misconceptions=labels)
