"""Say where an array is wrong in terms of an argument: where that is -1, 0 or negative, or equals another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.language import say
from autograder.reasons.wrong import Tells, labelled
from autograder.verdict.arrays import as_entries
from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

LEAST_PLACES = 2
"""So many places must have the number in question, and so many others must not, in all cases together."""
SPECIAL_NUMBERS = (-1, 0)
NEGATIVE = "negative"
NEGATIVE_INDEX = (
    "As an index, a negative number counts from the end: does a line look something up at {name}? Then what it "
    "finds there belongs to another number."
)


@dataclass(frozen=True, eq=False)
class MarkedCase:
    """An array that a submission returned for one case, right or wrong.

    Attributes:
        array: the entries of the submission.
        is_wrong: for each entry whether it is wrong.
        arguments: the arguments of the call by name.
    """

    array: Array
    is_wrong: Array
    arguments: Mapping[str, Any]

    def whole_numbers(self, name: str) -> Array | None:
        """Return an argument of whole numbers as an array; None where it is anything else."""
        return as_entries(self.arguments.get(name), kinds="iu")

    def wrong_places(self, axis_count: int) -> Array:
        """Return for each place along the first axes whether anything there is wrong."""
        later_axes = tuple(range(axis_count, self.is_wrong.ndim))
        return np.asarray(self.is_wrong.any(axis=later_axes))


def wrong_where_argument_is(cases: Sequence[MarkedCase], title: str) -> Reason | None:
    """Find an argument that holds one number at all wrong places, and at no right one.

    If no rule holds for all cases, one is looked for in those that give the same arguments as the first one: a
    further mistake may show where an optional argument is given.

    Args:
        cases: all cases of one function, the right ones among them; the first is a wrong one.
        title: what the array is called.
    """
    reason = _rule_of(cases, title)
    given = cases[0].arguments.keys()
    like_first = []
    left_out: set[str] = set()
    for case in cases:
        if case.arguments.keys() == given:
            like_first.append(case)
        left_out |= case.arguments.keys() - given
    if reason is None and left_out:
        reason = _rule_of(like_first, title, sorted(left_out))
    return reason


def _rule_of(
    cases: Sequence[MarkedCase], title: str, left_out: Sequence[str] = ()
) -> Reason | None:
    """Find the argument that tells the wrong places; ``left_out`` are those that these cases do not give."""
    for name in cases[0].arguments:
        for condition, number in _conditions(cases[0], name):
            is_meant_in_cases = [_is_meant(case, name, number) for case in cases]
            if not _are_the_wrong_places(cases, is_meant_in_cases):
                continue
            says = say(
                "What is wrong in {title} is exactly where {name} is {condition}.",
                title=title,
                name=name,
                condition=condition,
            )
            if left_out:
                says = say(
                    "In calls without {names}, what is wrong in {title} is exactly where {name} is {condition}.",
                    names=", ".join(left_out),
                    title=title,
                    name=name,
                    condition=condition,
                )
            if number == NEGATIVE:
                look = say(NEGATIVE_INDEX, name=name)
            else:
                look = _look(cases, is_meant_in_cases, is_minus_one=number == -1)
            says = f"{says} {look}".rstrip()
            return labelled("wrong-where-argument-is", says, tells=Tells.CAUSE)
    return None


def _conditions(case: MarkedCase, name: str) -> list[tuple[str, int | str]]:
    """Return what an argument may be: in words, and as a number, ``NEGATIVE``, or the name of another argument."""
    array = case.whole_numbers(name)
    if array is None or array.ndim == 0:
        return []
    conditions: list[tuple[str, int | str]] = []
    for number in SPECIAL_NUMBERS:
        conditions.append((str(number), number))
    conditions.append((say(NEGATIVE), NEGATIVE))
    for other_name in case.arguments:
        other = case.whole_numbers(other_name)
        if other is not None and other.ndim == 0:
            conditions.append((say("equal to {name}", name=other_name), other_name))
    return conditions


def _is_meant(case: MarkedCase, name: str, number: int | str) -> Array | None:
    """Return where an argument has the number, if each of its numbers belongs to one place of the result."""
    array = case.whole_numbers(name)
    if array is None or array.shape != case.is_wrong.shape[: array.ndim]:
        return None
    if isinstance(number, int):
        return np.asarray(array == number)
    if number == NEGATIVE:
        return np.asarray(array < 0)
    other = case.whole_numbers(number)
    if other is None or other.ndim:
        return None
    return np.asarray(array == other)


def _are_the_wrong_places(
    cases: Sequence[MarkedCase], is_meant_in_cases: Sequence[Array | None]
) -> bool:
    """Return whether the places that are meant are the wrong ones in every case, and are enough to tell."""
    count_meant = 0
    count_others = 0
    for case, is_meant in zip(cases, is_meant_in_cases, strict=True):
        if is_meant is None:
            return False
        if not np.array_equal(case.wrong_places(is_meant.ndim), is_meant):
            return False
        count_meant += int(is_meant.sum())
        count_others += int((~is_meant).sum())
    return min(count_meant, count_others) >= LEAST_PLACES


def _look(
    cases: Sequence[MarkedCase],
    is_meant_in_cases: Sequence[Array | None],
    *,
    is_minus_one: bool,
) -> str:
    """Say what the wrong places have in common besides: only the last column is wrong, or all is 0."""
    is_last_only = True
    is_all_zero = True
    for case, is_meant in zip(cases, is_meant_in_cases, strict=True):
        if is_meant is None or is_meant.ndim == case.array.ndim:
            return ""
        if case.is_wrong[..., :-1].any():
            is_last_only = False
        if case.array[is_meant].any():
            is_all_zero = False
    if is_last_only and is_minus_one:
        return say(
            "There only the last number is wrong: as an index, -1 is the last place. Does a "
            "line use the -1 as an index?"
        )
    if is_all_zero:
        return say(
            "There all is False or 0. Is there a slice such as `[-k:]`? Where k is 0, it is the whole array."
        )
    return ""
