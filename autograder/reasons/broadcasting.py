"""Find an argument that may be smaller than its full shape, and that only the full shape is right with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.cases import FunctionCall
from autograder.language import say
from autograder.reasons.context import Context
from autograder.reasons.failed_cases import cases_of_one_function, judged_answers
from autograder.reasons.outside import named_arguments, positive_sizes
from autograder.reasons.wrong import labelled
from autograder.verdict.arrays import as_entries
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Tensor

MOST_SHAPES = 60
"""So many shapes of an argument are tried in one case."""
MOST_CASES = 6
"""So many wrong cases must be right, the smallest."""
LARGEST_SIZE = 32
MOST_NUMBERS = 20_000


def right_in_full_shape(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find an argument that is broadcast in all wrong cases, and that makes them right in its full shape.

    Args:
        context: the submission.
        failed: the failed cases of one check.
    """
    wrong = []
    for known, answer in judged_answers(context, failed).items():
        if not known.is_right(answer):
            wrong.append(known)
    wrong.sort(key=lambda known: known.size)
    wrong = wrong[:MOST_CASES]
    if not wrong or not all(
        isinstance(known.case.call, FunctionCall) for known in wrong
    ):
        return None
    name = wrong[0].case.call.name
    parameters = context.submission.facts(name).parameters
    names = list(named_arguments(wrong[0].case.call, parameters))
    for place, argument in enumerate(names):
        most_axes = _most_axes(context, wrong[0], place)
        if all(_is_right(context, known, place, most_axes) for known in wrong):
            says = say(
                "It is right as soon as {argument} comes in its full shape, and wrong where an axis is "
                "missing or has size 1, which stands for all places along it: broadcast {argument} "
                "before you index it, as `np.broadcast_to` does.",
                argument=argument,
            )
            return labelled("argument-not-broadcast", says)
    return None


def _most_axes(context: Context, known: KnownCase, place: int) -> int:
    """Return with how many axes an argument comes at most, in all cases of a function."""
    most = 0
    for other in cases_of_one_function(context, known):
        if place < len(other.arguments):
            array = as_entries(other.arguments[place])
            if array is not None:
                most = max(most, array.ndim)
    return most


def _is_right(context: Context, known: KnownCase, place: int, most_axes: int) -> bool:
    """Return whether a case is right in some full shape of an argument.

    That shape has at most as many axes as the argument has in any case, or as another argument has in this one:
    a mask of two axes broadcasts to scores of four.
    """
    args = known.arguments
    if place >= len(args):
        return False
    array = as_entries(args[place])
    if array is None or array.ndim < 2:
        return False
    for argument in args:
        other = as_entries(argument)
        if other is not None:
            most_axes = max(most_axes, other.ndim)
    call = known.case.call
    sizes = set(positive_sizes(call, ()).values())
    sizes = {size for size in sizes if 1 < size <= LARGEST_SIZE}
    calls = []
    for shape in itertools.islice(_shapes(array, most_axes, sizes), MOST_SHAPES):
        changed_args = list(args)
        changed_args[place] = _in_shape(args[place], shape)
        calls.append(FunctionCall(call.name, tuple(changed_args)))
    if not calls:
        return False
    for answer in context.submission.calls(calls):
        if known.is_right(context.submission.answers.restored(known, answer)):
            return True
    return False


def _shapes(
    array: Array, most_axes: int, sizes: set[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the shapes to which an array may be broadcast, those with few axes first."""
    for axis_count in range(array.ndim, most_axes + 1):
        axes = [1] * (axis_count - array.ndim) + list(array.shape)
        options = []
        for size in axes:
            options.append(sorted({1, *sizes}) if size == 1 else [size])
        for shape in itertools.product(*options):
            if shape != array.shape and np.prod(shape) <= MOST_NUMBERS:
                yield shape


def _in_shape(value: Any, shape: tuple[int, ...]) -> Any:
    """Return an array or tensor broadcast to a shape."""
    if isinstance(value, Tensor):
        return replace(value, array=np.broadcast_to(value.array, shape).copy())
    return np.broadcast_to(value, shape).copy()
