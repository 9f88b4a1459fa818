"""Which rows and columns of a result depend on which of the arguments, in the submission and in the solution.

One row or column of an argument at a time gets other numbers. A row of the result that changes with it, and does
not change in the reference solution, mixes what should stay apart: tokens, sequences, heads. Where a last
projection mixes the heads by right, the identity matrix stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.course.homework import CourseError
from autograder.language import say
from autograder.reasons.context import Context
from autograder.reasons.parts import first_wrong_part
from autograder.reasons.probes import OTHER_NUMBERS, with_changed
from autograder.reasons.relations import AXES, PLURALS
from autograder.reasons.wrong import Tells, labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array, as_entries
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCases
from autograder.worker.wire import Array

MOST_CALLS = 600
"""Cases that need more calls are not looked at."""
MOST_SECONDS = 4.0
MOST_NUMBERS = 400
LEAST_CHANGE = 1e-6
"""A result that changes by less, relative to its largest number, is that of rounding."""
ROUNDING = 1e-12
"""The solution's result may change by so much where it does not depend on what was changed."""
MOST_LISTED = 4
"""Of more rows on which a row should depend, none is listed."""

Place = tuple[int, int]
"""An axis, and an index along it."""


@dataclass(frozen=True)
class ChangedPlace:
    """Other numbers in one row or column of an argument.

    Attributes:
        argument: the argument's index in the call.
        place: the axis and the row or column.
        args: the arguments with the change.
    """

    argument: int
    place: Place
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Dependence:
    """A row or column of the result that changes with one of an argument, and should not.

    Attributes:
        change: what was changed.
        place: the row or column of the result.
        meant: the rows or columns of the argument, along the same axis, on which the right result depends there.
    """

    change: ChangedPlace
    place: Place
    meant: Sequence[int]


def depends_on_other_places(context: Context, wrong: KnownCases) -> Reason | None:
    """Find a row or column of the result that depends on what it should not depend on.

    Args:
        context: the submission, and the reference solution. Without it nothing is said.
        wrong: the wrong cases of one function; the smallest is looked at.
    """
    if context.ask_reference is None or not wrong:
        return None
    known = min(wrong, key=lambda case: case.size)
    call = known.case.call
    answer = context.submission.answers.get(known.case.id)
    if not isinstance(call, FunctionCall) or answer is None or known.is_structured:
        return None
    part = first_wrong_part(known, answer.value)
    result = _result(answer, part)
    if result is None or not 0 < result.ndim <= len(AXES):
        return None

    names = list(context.arguments(known))
    for projection, args in _with_identity(call.args, result.shape):
        changes = list(_changes(args))
        count = len(changes) + 1
        if count > MOST_CALLS or answer.seconds * count > MOST_SECONDS:
            return None
        calls = [FunctionCall(call.name, args)]
        calls += [FunctionCall(call.name, change.args) for change in changes]
        answers = context.answers_to(known, calls)
        try:
            right = context.ask_reference(calls)
        except CourseError:
            # Numbers that no case has may bring the reference solution down.
            return None
        right_result = _result(right[0], part)
        if right_result is None or right_result.shape != result.shape:
            return None
        changed = _changed_places(answers, part, LEAST_CHANGE)
        rightly_changed = _changed_places(right, part, ROUNDING)
        if changed is None or rightly_changed is None:
            continue
        dependence = _first_that_should_not_be(
            changes, changed, rightly_changed, result.shape
        )
        if dependence is None:
            continue
        title = context.title(known, part)
        says = _in_words(dependence, names, title, AXES[result.ndim])
        if projection is not None and projection < len(names):
            says = say(
                "With the identity matrix for {name}: {says}",
                name=names[projection],
                says=says,
            )
        return labelled("depends-on-other-place", says, tells=Tells.LITTLE)
    return None


def _result(answer: Answer, part: int | None) -> Array | None:
    """Return the array of an answer, or of one part of it, as finite numbers."""
    if not answer.is_usable:
        return None
    value = answer.value
    if part is not None:
        if not isinstance(value, tuple | list) or part >= len(value):
            return None
        value = value[part]
    array = as_array(value, MOST_NUMBERS)
    if array is None or not array.size or array.dtype.kind not in "fiu":
        return None
    if not np.isfinite(array).all():
        return None
    return array.astype(float)


def _with_identity(
    args: tuple[Any, ...], shape: tuple[int, ...]
) -> Iterator[tuple[int | None, tuple[Any, ...]]]:
    """Yield the arguments, and then with the identity for each square matrix that may project the result."""
    yield None, args
    for index, value in enumerate(args):
        array = as_entries(value)
        if array is None or array.ndim != 2 or array.dtype.kind != "f":
            continue
        rows, columns = array.shape
        if rows == columns and rows in shape and rows > 1:
            yield index, tuple(with_changed(index, _identity, list(args)))


def _identity(array: Array) -> Array:
    return np.eye(len(array), dtype=array.dtype)


def _changes(args: tuple[Any, ...]) -> Iterator[ChangedPlace]:
    """Yield the arguments with other numbers in one row, or another place along an axis, rows first."""
    places = []
    for argument, value in enumerate(args):
        array = as_entries(value)
        if array is None or array.dtype.kind != "f" or array.ndim not in AXES:
            continue
        if not array.size:
            continue
        for axis, size in enumerate(array.shape):
            if size > 1:
                places += [(axis, argument, index) for index in range(size)]
    for axis, argument, index in sorted(places, key=lambda place: place[0]):
        for change in OTHER_NUMBERS:
            changed = with_changed(argument, _along(change, axis, index), list(args))
            yield ChangedPlace(argument, (axis, index), tuple(changed))


def _along(
    change: Callable[[slice, Array], Array], axis: int, index: int
) -> Callable[[Array], Array]:
    """Return the change of one place along an axis."""

    def changed(array: Array) -> Array:
        in_front = np.moveaxis(array, axis, 0)
        return np.moveaxis(change(slice(index, index + 1), in_front), 0, axis)

    return changed


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def _changed_places(
    answers: Sequence[Answer], part: int | None, least: float
) -> list[set[Place]] | None:
    """Return for each change the places of the result that it changes; None where there is nothing to compare.

    Args:
        answers: the answer without a change, and that to each change.
        part: the part of the answers that is looked at.
        least: how much must change, relative to the largest number.
    """
    before, *afters = [_result(answer, part) for answer in answers]
    if before is None:
        return None
    changed_places = []
    for after in afters:
        if after is None or after.shape != before.shape:
            return None
        largest = max(np.abs(before).max(), np.abs(after).max())
        is_changed = np.abs(after - before) > least * largest
        places: set[Place] = set()
        for index in np.argwhere(is_changed).tolist():
            places.update(enumerate(index))
        changed_places.append(places)
    return changed_places


def _first_that_should_not_be(
    changes: Sequence[ChangedPlace],
    changed: Sequence[set[Place]],
    rightly_changed: Sequence[set[Place]],
    shape: tuple[int, ...],
) -> Dependence | None:
    """Return the first place of the result that no change of a row should change, and one does.

    Args:
        changes: the changes.
        changed: the places of the submission's result that each changes.
        rightly_changed: the same of the reference solution.
        shape: the shape of the result.
    """
    right_places: dict[tuple[int, Place], set[Place]] = {}
    for change, places in zip(changes, rightly_changed, strict=True):
        right_places.setdefault((change.argument, change.place), set()).update(places)
    for change, places in zip(changes, changed, strict=True):
        axis, _ = change.place
        for place in sorted(places - right_places[change.argument, change.place]):
            result_axis, result_index = place
            # Which places along the result's axis each place along the argument's axis should change.
            pattern = []
            for (argument, (other_axis, _)), meant_places in right_places.items():
                if (argument, other_axis) == (change.argument, axis):
                    along_result = range(shape[result_axis])
                    pattern.append(
                        [(result_axis, index) in meant_places for index in along_result]
                    )
            depends = np.array(pattern)
            if _is_by_design(depends):
                meant = np.flatnonzero(depends[:, result_index]).tolist()
                return Dependence(change, place, meant)
    return None


def _is_by_design(depends: Array) -> bool:
    """Return whether it is no chance on which places of an argument (rows) places of a result (columns) depend.

    Each has its own, in blocks as heads have, or later ones see earlier ones, or the argument belongs to one
    block only. Numbers that a ReLU or a choice of the largest leaves out form no such pattern.
    """
    count, result_count = depends.shape
    if not depends.any() or depends.all():
        return False
    for blocks in range(2, result_count + 1):
        if result_count % blocks:
            continue
        width = result_count // blocks
        for block in range(blocks):
            in_block = np.arange(result_count) // width == block
            if (depends == in_block).all():
                return True
        if count % blocks == 0:
            own = np.ones((count // blocks, width), dtype=bool)
            if np.array_equal(depends, np.kron(np.eye(blocks, dtype=bool), own)):
                return True
    square = np.ones((count, count), dtype=bool)
    return any(np.array_equal(depends, side(square)) for side in (np.tril, np.triu))


def _in_words(
    dependence: Dependence,
    names: Sequence[str],
    title: str,
    result_axes: Sequence[str],
) -> str:
    change = dependence.change
    array = as_entries(change.args[change.argument])
    assert array is not None
    name = names[change.argument]
    axis, index = change.place
    noun = AXES[array.ndim][axis]
    result_axis, result_index = dependence.place
    result_noun = say(result_axes[result_axis])
    meant = dependence.meant
    if not meant:
        return say(
            "In {title}, {noun} {index} depends on {name}, and should not.",
            title=title,
            noun=result_noun,
            index=result_index,
            name=name,
        )
    says = say(
        "In {title}, {noun} {index} depends on {other_noun} {other_index} of {name}, and should not.",
        title=title,
        noun=result_noun,
        index=result_index,
        other_noun=say(noun),
        other_index=index,
        name=name,
    )
    if len(meant) > MOST_LISTED or len(meant) == array.shape[axis]:
        return says
    *first_indices, last_index = map(str, sorted(meant))
    listed = f"{say(noun)} {last_index}"
    if first_indices:
        nouns = say(PLURALS.get(noun, f"{noun}s"))
        listed = f"{nouns} {', '.join(first_indices)} {say('and')} {last_index}"
    only = say("Of {name}, only {listed} should count there.", name=name, listed=listed)
    return f"{says} {only}"
