"""Say of a wrong shape which size each wrong axis has, and which it should have: "the number of rows of `K`"."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.language import say
from autograder.reasons.outside import positive_sizes
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array, deviation, split
from autograder.verdict.interface import parts_of
from autograder.verdict.known import KnownCase, KnownCases

LARGEST_ARRAY = 100_000
MOST_ADDED = 3
"""So many arrays are joined, such as the weights of queries, keys and values."""
MOST_AXES = 2
"""Of more wrong axes the shapes alone tell as much."""
TOO_MANY_AXES = (
    "It has more axes than it should: is a sum over one of them missing, or did a list of "
    "arrays become an axis of its own?"
)
LEADING_AXES_TWICE = (
    "It has the leading axes twice: each matrix of one array was combined with each of the other, as `np.dot` "
    "and `np.tensordot` do. `@` (`np.matmul`) combines the first with the first, the second with the second."
)
TOO_FEW_AXES = (
    "It has fewer axes than it should: does an index, a sum or a `squeeze` take one away, or "
    "is only one item of several returned?"
)
LOST_AXIS = (
    "It is right where no axis has length 1, and wrong where one has: does a `squeeze` "
    "without its axis take that axis away, so that what is left meets the other array along "
    "another one?"
)
Shape = tuple[int, ...]
AXES = {1: ("length",), 2: ("number of rows", "number of columns")}


@dataclass(frozen=True)
class ShapeOfCase:
    """The sizes of one case: those of its arguments, and the shapes of one array of its answer.

    Attributes:
        sizes: the sizes of all arguments, 1 or more, by names such as "the number of rows of `Q`".
        expected: the right shape.
        returned: the shape that came back; None where it is no array.
    """

    sizes: Mapping[str, int]
    expected: Shape
    returned: Shape | None


def loses_axis_of_length_1(known: KnownCase, value: Any) -> bool:
    """Return whether an answer, or a part of it, holds the right numbers without some axis of length 1.

    The other parts have to be right.
    """
    expected_parts = parts_of(known.expected)
    values = [value] if len(expected_parts) == 1 else split(value, known.expected)
    if values is None or len(values) != len(expected_parts):
        return False
    is_axis_lost = False
    for part, expected_part in zip(values, expected_parts, strict=True):
        array = as_array(part, LARGEST_ARRAY)
        expected = as_array(expected_part, LARGEST_ARRAY)
        if array is None or expected is None or array.size != expected.size:
            return False
        if array.shape != expected.shape:
            has_fewer_axes = array.ndim < expected.ndim
            if (
                not has_fewer_axes
                or np.squeeze(array).shape != np.squeeze(expected).shape
            ):
                return False
            is_axis_lost = True
        if deviation(array.reshape(expected.shape), expected) > known.tolerance:
            return False
    return is_axis_lost


def describe_axes(
    cases: Mapping[KnownCase, Answer],
    wrong_cases: KnownCases,
    parameters: Sequence[str],
) -> str:
    """Return sentences about the axes of the first wrong array that have wrong sizes in all wrong cases.

    Args:
        cases: the cases of one function, with the submission's answers.
        wrong_cases: those whose answers are wrong.
        parameters: the parameters of the student's function.
    """
    expected = wrong_cases[0].expected
    count = len(expected) if isinstance(expected, tuple | list) else 1
    for part in range(count):
        shapes = {}
        for known, answer in cases.items():
            shape = _shape_of_case(known, answer, part, parameters)
            if shape is not None:
                shapes[known] = shape
        wrong_shapes = []
        for known in wrong_cases:
            if known in shapes and shapes[known].returned != shapes[known].expected:
                wrong_shapes.append(shapes[known])
        if wrong_shapes:
            return _describe(wrong_shapes, list(shapes.values()))
    return ""


def _shape_of_case(
    known: KnownCase, answer: Answer, part: int, parameters: Sequence[str]
) -> ShapeOfCase | None:
    """Return the shapes of one part of a case; None where the right one is not an array."""
    expected = known.expected
    value = answer.value if answer.is_usable else None
    if isinstance(expected, tuple | list):
        parts = split(value, expected)
        expected = expected[part]
        value = parts[part] if parts is not None else None
    expected_array = as_array(expected, LARGEST_ARRAY)
    if expected_array is None:
        return None
    returned = getattr(as_array(value, LARGEST_ARRAY), "shape", None)
    sizes = positive_sizes(known.case.call, parameters)
    return ShapeOfCase(sizes, expected_array.shape, returned)


def _describe(
    wrong_shapes: Sequence[ShapeOfCase], known_shapes: Sequence[ShapeOfCase]
) -> str:
    if _loses_axes_of_length_1(wrong_shapes, known_shapes):
        return say(LOST_AXIS)
    count = len(wrong_shapes[0].expected)
    returned_shapes = []
    axes_missing = set()
    for shape in wrong_shapes:
        if shape.returned is None:
            return ""
        returned_shapes.append(shape.returned)
        axes_missing.add(len(shape.expected) - len(shape.returned))
    if all(_has_leading_axes_twice(shape) for shape in wrong_shapes):
        return say(LEADING_AXES_TWICE)
    if max(axes_missing) < 0:
        return say(TOO_MANY_AXES)
    if min(axes_missing) > 0:
        return say(TOO_FEW_AXES)
    if axes_missing != {0}:
        return ""

    sentences = []
    for axis in range(count):
        if any(len(shape.expected) != count for shape in wrong_shapes):
            return ""
        returned_sizes = [returned[axis] for returned in returned_shapes]
        if returned_sizes == [shape.expected[axis] for shape in wrong_shapes]:
            continue
        if any(len(shape.expected) != count for shape in known_shapes):
            return ""
        right_sizes = [shape.expected[axis] for shape in known_shapes]
        meant = _names_of(right_sizes, known_shapes)
        if not meant:
            return ""
        axis_name = say("size of axis {axis}", axis=axis)
        if count in AXES:
            axis_name = say(AXES[count][axis])
        text = say("Its {axis} should be {meant}.", axis=axis_name, meant=meant[0])
        taken = _names_of(returned_sizes, wrong_shapes)
        if (
            taken
            and _are_always_equal(taken, known_shapes)
            and not _is_share_of_others(returned_sizes, wrong_shapes)
        ):
            text = say(
                "Its {axis} is {taken}; it should be {meant}.",
                axis=axis_name,
                taken=taken[0],
                meant=meant[0],
            )
        sentences.append(text)
    return " ".join(sentences) if len(sentences) <= MOST_AXES else ""


def _loses_axes_of_length_1(
    wrong_shapes: Sequence[ShapeOfCase], known_shapes: Sequence[ShapeOfCase]
) -> bool:
    """Return whether a lost axis of length 1 explains all wrong shapes: a sum then repeats what is left.

    Without that axis, the shape is broadcast against the right one. Other cases, without such an axis, have to be
    right.
    """
    for shape in wrong_shapes:
        repeated_shapes = []
        for axis, size in enumerate(shape.expected):
            if size == 1:
                left = shape.expected[:axis] + shape.expected[axis + 1 :]
                with contextlib.suppress(ValueError):  # they do not fit
                    repeated_shapes.append(np.broadcast_shapes(left, shape.expected))
        if shape.returned not in repeated_shapes:
            return False
    return any(
        1 not in shape.expected and shape.returned == shape.expected
        for shape in known_shapes
    )


def _has_leading_axes_twice(shape: ShapeOfCase) -> bool:
    """Return whether the result is as large as ``np.dot`` makes a product of two stacks of matrices."""
    if len(shape.expected) < 3:
        return False
    *leading, rows, columns = shape.expected
    return shape.returned == (*leading, rows, *leading, columns)


def _names_of(sizes: Sequence[int], shapes: Sequence[ShapeOfCase]) -> list[str]:
    """Return the names that have these sizes in all cases; none where the cases do not differ in it."""
    if len(set(sizes)) < 2:
        return []
    names = []
    for name in shapes[0].sizes:
        if _sizes_named(name, shapes) == list(sizes):
            names.append(name)
    return names


def _sizes_named(name: str, shapes: Sequence[ShapeOfCase]) -> list[int]:
    """Return the size of one name in each case; 0 where a case has none."""
    return [shape.sizes.get(name, 0) for shape in shapes]


def _is_share_of_others(sizes: Sequence[int], shapes: Sequence[ShapeOfCase]) -> bool:
    """Return whether sizes are as well the sum of other sizes, or their mean, in all cases.

    Matrices that were joined have the sum of their widths, and equal parts of them the mean: which size was
    taken is not known then. Only like sizes are added, such as numbers of columns.
    """
    sizes_by_kind: dict[str, list[list[int]]] = {}
    for name in shapes[0].sizes:
        other_sizes = _sizes_named(name, shapes)
        if other_sizes != list(sizes):
            kind, _, _ = name.partition("`")
            sizes_by_kind.setdefault(kind, []).append(other_sizes)
    for like_sizes in sizes_by_kind.values():
        for count in range(2, MOST_ADDED + 1):
            for several in itertools.combinations(like_sizes, count):
                sums = [sum(added) for added in zip(*several, strict=True)]
                means = [total / count for total in sums]
                if list(sizes) in (sums, means):
                    return True
    return False


def _are_always_equal(names: Sequence[str], shapes: Sequence[ShapeOfCase]) -> bool:
    """Return whether names stand for one size in every case, so that any of them may be said."""
    first_sizes = _sizes_named(names[0], shapes)
    return all(_sizes_named(name, shapes) == first_sizes for name in names)
