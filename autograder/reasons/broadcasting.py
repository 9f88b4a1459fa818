"""Find an argument that may be smaller than its full shape, and that only the full shape is right with."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.language import say
from autograder.reasons.context import Context
from autograder.reasons.outside import positive_sizes
from autograder.reasons.probes import with_argument, with_array
from autograder.reasons.wrong import Tells, labelled
from autograder.verdict.arrays import as_entries
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array

MOST_SHAPES = 60
"""So many shapes of an argument are tried in one case."""
MOST_CASES = 6
"""So many wrong cases must be right, the smallest."""
LARGEST_SIZE = 32
MOST_NUMBERS = 20_000


def right_in_full_shape(context: Context, failed: KnownCases) -> Reason | None:
    """Find an argument that is broadcast in all wrong cases, and that makes them right in its full shape.

    Args:
        context: the submission.
        failed: the failed cases of one check.
    """
    wrong = []
    for judged_case, answer in context.judged_answers(failed).items():
        if not judged_case.is_right(answer):
            wrong.append(judged_case)
    wrong.sort(key=lambda known: known.size)
    wrong = wrong[:MOST_CASES]
    calls = [known.case.call for known in wrong]
    if not calls or not all(isinstance(call, FunctionCall) for call in calls):
        return None
    for index, argument in enumerate(context.arguments(wrong[0])):
        axis_counts = _axis_counts(context, wrong[0], index)
        if all(_is_right(context, known, index, axis_counts) for known in wrong):
            says = say(
                "It is right as soon as {argument} comes in its full shape, and wrong where it has to be "
                "broadcast: an axis of size 1 stands for all places along it, and so does an axis that is "
                "missing in front. Give {argument} its full shape first, as `np.broadcast_to` does.",
                argument=argument,
            )
            return labelled("argument-not-broadcast", says, tells=Tells.CAUSE)
    return None


def _axis_counts(context: Context, known: KnownCase, index: int) -> set[int]:
    """Return with how many axes an argument comes, in all cases of a function."""
    counts = set()
    for other in context.cases_like(known):
        array = _array(other, index)
        if array is not None:
            counts.add(array.ndim)
    return counts


def _is_right(
    context: Context, known: KnownCase, index: int, axis_counts: set[int]
) -> bool:
    """Return whether a case is right in some full shape of an argument.

    That shape has at most as many axes as the argument has in any case. Where it comes with more axes in some cases
    than in others, it may have as many as another argument: a mask of two axes broadcasts to scores of four.
    """
    array = _array(known, index)
    if array is None or array.ndim < 2:
        return False
    args = known.arguments
    most_axes = max(axis_counts)
    if len(axis_counts) > 1:
        for argument in args:
            other = as_entries(argument)
            if other is not None:
                most_axes = max(most_axes, other.ndim)
    name = known.case.call.name
    sizes = {1}
    for size in positive_sizes(known.case.call, ()).values():
        if size <= LARGEST_SIZE:
            sizes.add(size)
    calls = []
    for shape in itertools.islice(_shapes(array, most_axes, sizes), MOST_SHAPES):
        full = with_array(args[index], np.broadcast_to(array, shape).copy())
        calls.append(FunctionCall(name, tuple(with_argument(args, index, full))))
    return bool(calls) and any(map(known.is_right, context.answers_to(known, calls)))


def _array(known: KnownCase, index: int) -> Array | None:
    """Return an argument of a case as an array; None where it has none."""
    args = known.arguments
    return as_entries(args[index]) if index < len(args) else None


def _shapes(
    array: Array, most_axes: int, sizes: Collection[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the shapes to which an array may be broadcast, those with few axes first."""
    for axis_count in range(array.ndim, most_axes + 1):
        axes = [1] * (axis_count - array.ndim) + list(array.shape)
        options = []
        for size in axes:
            if size == 1:
                options.append(sorted(sizes))
            else:
                options.append([size])
        for shape in itertools.product(*options):
            if shape != array.shape and np.prod(shape) <= MOST_NUMBERS:
                yield shape
