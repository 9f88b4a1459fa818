"""What wrong cases of a function have in common, and no right one has: sizes that differ, or a 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from autograder.course.calls import Call
from autograder.language import say
from autograder.reasons.outside import named_arguments, sizes_of
from autograder.verdict.arrays import as_entries
from autograder.verdict.known import KnownCases

MOST_NAMED = 2
"""Of more differences, the first ones are named."""


def what_differs(
    wrong: KnownCases, right: KnownCases, parameters: Sequence[str]
) -> str:
    """Name what is so in all wrong cases and in no right one; an empty text where nothing is.

    Args:
        wrong: the wrong cases of a function.
        right: right cases of the same function.
        parameters: the parameters of the student's function.
    """
    if not wrong or not right:
        return ""
    traits_of_wrong = [list(_traits(known.case.call, parameters)) for known in wrong]
    traits_of_right = set[str]()
    for known in right:
        traits_of_right.update(_traits(known.case.call, parameters))

    differences = []
    for trait in dict.fromkeys(traits_of_wrong[0]):
        is_common = all(trait in traits for traits in traits_of_wrong)
        if is_common and trait not in traits_of_right:
            differences.append(trait)
    return f" {say('and')} ".join(differences[:MOST_NAMED])


def have_other_axes(
    wrong: KnownCases, right: KnownCases, parameters: Sequence[str]
) -> bool:
    """Return whether an argument of a wrong case has a number of axes that it has in no right case."""
    counts = set()
    for known in right:
        counts |= set(_axis_counts(known.case.call, parameters))
    wrong_counts = set()
    for known in wrong:
        wrong_counts |= set(_axis_counts(known.case.call, parameters))
    return not wrong_counts <= counts


def _axis_counts(call: Call, parameters: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each argument's name with its number of axes."""
    for name, value in named_arguments(call, parameters).items():
        array = as_entries(value)
        if array is not None:
            yield name, array.ndim


def _traits(call: Call, parameters: Sequence[str]) -> Iterator[str]:
    """Yield what is so of a call's arguments, the most telling first; no number of a hidden input is among it."""
    arguments = named_arguments(call, parameters)
    for name, value in arguments.items():
        array = as_entries(value)
        if array is None or not array.ndim or array.dtype.kind not in "iu":
            continue
        if (array == 0).any():
            yield say("{name} holds 0", name=name)
        if (array < 0).any():
            yield say("{name} holds negative numbers", name=name)
        else:
            yield say("{name} holds no negative numbers", name=name)
    sizes = sizes_of(call, parameters)
    for name, other_name in itertools.combinations(sizes, 2):
        if sizes[name] != sizes[other_name]:
            yield say(
                "{name} and {other_name} differ", name=name, other_name=other_name
            )
