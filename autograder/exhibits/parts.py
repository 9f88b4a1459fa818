"""The inputs of a judged case, and the parts of its answer, each next to its expected value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from autograder.course.calls import ModuleCall, ObjectCall
from autograder.language import say
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_entries,
    of_one_shape,
    split,
    wrong_entries,
)
from autograder.verdict.kinds import (
    RESULT,
    is_alike,
    is_structured,
    structure_like,
    structure_of,
    text_difference,
)
from autograder.verdict.known import FailedCase
from autograder.verdict.wrong_numbers import SUM_TOLERANCE, sum_error
from autograder.worker.composites import SEQUENCES
from autograder.worker.wire import Array, Shape

LARGEST_LIST = 10**5
DISTRIBUTIONS = ("weights", "softmax", "probabilit", "distribution")
"""Words in the names of results whose rows or columns sum to 1 for a reason."""
MOST_SUMS = 5
"""Of more rows than these only the wrong sums are listed."""


@dataclass(frozen=True, eq=False)
class AnswerPart:
    """One part of an answer and its expected value.

    Attributes:
        name: what the part is called.
        value: what came back; None where nothing did.
        expected: an array, a list of arrays, or a value with a structure (``kinds.py``); None where nothing is
            expected.
        difference: the value minus the expected one, with 0 for right entries; None where shapes differ.
    """

    name: str
    value: Any
    expected: Any
    difference: Array | None = None

    def telling(self) -> str:
        """Return one fact about wrong numbers: what they have in common, their sums, or their count."""
        if isinstance(self.value, str) and isinstance(self.expected, str):
            return text_difference(self.value, self.expected)
        if self.difference is None or not isinstance(self.expected, np.ndarray):
            return ""
        if not self.difference.any():
            return ""
        array = np.asarray(as_entries(self.value))
        is_wrong = self.difference != 0
        is_not_finite = is_wrong & ~np.isfinite(array)
        if is_not_finite.any():
            wrong_numbers = array[is_not_finite]
            verb = say("are NaN")
            if np.isinf(wrong_numbers).any():
                verb = say("are NaN or infinite")
            return self._counted(is_not_finite, verb)
        if array.size > 1 and _is_constant(array) and not _is_constant(self.expected):
            first = array.flat[0]
            text = f"{first:.4g}"
            if array.dtype.kind == "b":
                text = str(first)
            return say("all entries are {text}", text=text)
        if any(say(word) in self.name for word in DISTRIBUTIONS):
            sums = _sums(array, self.expected)
            if sums:
                return sums
        return self._counted(is_wrong, say("differ"))

    def _counted(self, marked: Array, verb: str) -> str:
        """Say how many entries are marked and, unless all are, the index of the first as Python writes it."""
        if marked.all():
            if marked.size < 2:
                return ""
            return say("all {total} {verb}", total=marked.size, verb=verb)
        indices = np.argwhere(marked)
        index = indices[0].tolist()
        first = str(index)
        if isinstance(self.value, SEQUENCES) and len(index) > 1:
            item, *within_item = index  # an item of a list has indices of its own
            first = f"[{item}]{within_item}"
        return say(
            "{count} of {total} {verb}, first at {first}",
            count=marked.sum(),
            total=marked.size,
            verb=verb,
            first=first,
        )


def _is_constant(array: Array) -> bool:
    return bool((array == array.flat[0]).all())


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def _sums(array: Array, expected: Array) -> str:
    """Say to which numbers rows or columns sum that should sum to 1; nothing where they do."""
    if expected.min() < 0:
        return ""
    rows_sum_to_1 = _sum_to_1(expected, -1)
    columns_sum_to_1 = _sum_to_1(expected, -2)
    if rows_sum_to_1 == columns_sum_to_1:  # of both, neither need be meant
        return ""
    axis = -2
    lines = say("columns")
    if rows_sum_to_1:
        axis = -1
        lines = say("rows")
    sums = array.astype(np.float64).sum(axis).ravel()
    distances = np.abs(sums - 1)
    is_right = distances <= SUM_TOLERANCE
    if is_right.all():
        return ""

    if array.ndim == 1:
        lines = say("entries")
    if sums.size > MOST_SUMS:
        wrong_sums = sums[~is_right]
        lines = say(
            "{count} of {total} {lines}",
            count=wrong_sums.size,
            total=sums.size,
            lines=lines,
        )
        texts = [f"{total:.4g}" for total in wrong_sums[:MOST_SUMS]]
        if wrong_sums.size > MOST_SUMS:
            texts.append("…")
    else:
        shown_sums = np.where(is_right, 1.0, sums)
        texts = [f"{total:.4g}" for total in shown_sums]
    return say(
        "{lines} sum to {texts} instead of 1", lines=lines, texts=", ".join(texts)
    )


def _sum_to_1(expected: Array, axis: int) -> bool:
    if expected.ndim < -axis or expected.shape[axis] < 2:
        return False
    return sum_error(expected, axis) <= SUM_TOLERANCE


def inputs_of(call: Any, parameters: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a call by the parameters' names, without weights loaded into a module.

    The last parameter of a module is its input. Arguments of an object's steps are called x1, x2, ….
    """
    for place, value in enumerate(call.args):
        name = say("argument {number}", number=place + 1)
        if place < len(parameters):
            name = parameters[place]
        yield name, value
    if isinstance(call, ModuleCall):
        name = "input"
        if parameters:
            name = parameters[-1]
        yield name, call.input
    if isinstance(call, ObjectCall):
        step_inputs = call.inputs[len(call.args) :]
        for number, value in enumerate(step_inputs, start=1):
            yield f"x{number}", value


def answer_parts(judged: FailedCase) -> Iterator[AnswerPart]:
    """Yield the parts of an expected tuple or list, or the one array, each with the answer to it."""
    expected = judged.known.expected
    value = judged.answer.value
    names = judged.names
    if judged.known.is_structured:
        yield from _parts_by_kind(judged)
        return
    pairs: list[tuple[Any, Any]] = [(value, expected)]
    if isinstance(expected, list):
        items = split(value, expected)
        if items and _shape(value) != _shape(expected):
            pairs = list(zip(items, expected, strict=True))[:MOST_PARTS]
            item = say("item")
            if names:
                item = names[0]
            names = [f"{item} {place}" for place in range(len(expected))]
    elif isinstance(expected, tuple):
        parts = _parts_like(value, expected)
        pairs = list(zip_longest(parts, expected))[:MOST_PARTS]

    for place, (part, right) in enumerate(pairs):
        name = say("result")
        if place < len(names):
            name = names[place]
        if isinstance(right, tuple):  # a tuple within a tuple
            inner_known = replace(judged.known, expected=right)
            inner_answer = replace(judged.answer, value=part)
            inner_names = [f"{name} {index}" for index in range(len(right))]
            inner = FailedCase(inner_known, inner_answer, inner_names)
            yield from answer_parts(inner)
        else:
            yield _compared(name, part, right, judged.known.tolerance)


def _parts_by_kind(judged: FailedCase) -> Iterator[AnswerPart]:
    """Yield the parts of a value that is not only arrays, the wrong ones first."""
    name = RESULT
    if len(judged.names) == 1:
        name = judged.names[0]
    wrong_parts: list[AnswerPart] = []
    right_parts: list[AnswerPart] = []
    pairs = pairs_of(judged.answer.value, judged.known.expected, name)
    for title, value, expected, is_right in pairs:
        part = AnswerPart(title, value, expected)
        if is_right:
            part = replace(part, difference=np.zeros(()))
        elif not is_structured(expected):
            part = _compared(title, value, expected, judged.known.tolerance)
        if part.difference is None or part.difference.any():
            wrong_parts.append(part)
        else:
            right_parts.append(part)
    yield from [*wrong_parts, *right_parts][:MOST_PARTS]


def pairs_of(
    value: Any, expected: Any, name: str
) -> Iterator[tuple[str, Any, Any, bool]]:
    """Yield an answer's parts with the expected ones, down to numbers and to the first difference.

    Yields:
        The part's name, the part, the expected part, and whether both were taken apart and are the same.
    """
    right = None
    answer = None
    if is_structured(expected):
        right = structure_of(expected)
    if right is not None:
        answer = structure_like(value, right)
    if right is None or answer is None or not is_alike(answer, right):
        yield name, value, expected, False
        return
    if not right.children:
        yield name, value, expected, True
        return
    for child_name, expected_child in right.children.items():
        child = answer.child(child_name, expected_child)
        title = child_name
        if name != RESULT and not right.is_named_alone:
            title = say("{child} of {title}", child=child_name, title=name)
        yield from pairs_of(child, expected_child, title)


def parts_named(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value that cannot be taken apart any further, each with its name; none for the whole."""
    for name, part, _, _ in pairs_of(value, value, RESULT):
        if name == RESULT:
            name = ""
        yield name, part


def _parts_like(value: Any, expected: tuple[Any, ...]) -> list[Any]:
    """Return the parts of an answer for which a tuple is expected.

    A single value stands in the last place that has its shape.
    """
    parts = split(value, expected)
    if parts is not None:
        return parts
    if isinstance(value, SEQUENCES):
        return list(value)
    shape = _shape(value)
    last_place = 0
    for place, right in enumerate(expected):
        if _shape(right) == shape:
            last_place = place
    return [*[None] * last_place, value]


def _compared(name: str, part: Any, right: Any, tolerance: float) -> AnswerPart:
    """Return a part with its difference from the expected value, where both have one shape."""
    pair = of_one_shape(part, right)
    if pair is None:
        if isinstance(right, list):
            return AnswerPart(name, part, right)
        return AnswerPart(name, part, as_entries(right))
    array, expected_array = pair
    wrong = wrong_entries(array, expected_array, tolerance)
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        distance = array.astype(np.float64) - expected_array.astype(np.float64)
    difference = np.where(wrong, distance, 0)
    return AnswerPart(name, part, expected_array, difference)


def _shape(value: Any) -> Shape | None:
    return getattr(as_entries(value, LARGEST_LIST), "shape", None)


def window(array: Array, rows: int, columns: int, first: int = 0) -> tuple[str, Array]:
    """Return some rows and columns of an array, as two axes, and the index that takes them out.

    Args:
        array: the array; of more than two axes those of length 1 are left out.
        rows: the largest number of rows.
        columns: the largest number of columns.
        first: an entry of the flattened array that the window holds, if the corner does not.

    Returns:
        The index as text, such as ``[0:8, 0:8]``, blank where the window is all of the array; and the window.
    """
    small = array
    if array.ndim > 2:
        small = array.squeeze()
    table = np.atleast_2d(small)
    indices_of_first = np.unravel_index(first, table.shape)
    *outer, row, column = map(int, indices_of_first)
    top = 0
    if row >= rows:
        top = row
    start = 0
    if column >= columns:
        start = column
    matrix = table[tuple(outer)]
    cut_rows = matrix[top : top + rows]
    cut = cut_rows[:, start : start + columns]
    if cut.size == table.size:
        return "", cut
    height, width = cut.shape
    bottom = top + height
    end = start + width
    indices = list(map(str, outer))
    indices.append(f"{top}:{bottom}")
    indices.append(f"{start}:{end}")
    added_axes = table.ndim - small.ndim
    index = ", ".join(indices[added_axes:])
    return f"[{index}]", cut
