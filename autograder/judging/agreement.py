"""Match a submission's answers with what mistakes would have produced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from autograder.judging.comparison import (
    MOST_PARTS,
    allowed_difference,
    as_array,
    holds_more,
    matches,
    room_for,
)
from autograder.judging.known import KnownCase
from autograder.sandbox import Answer

LARGEST_CASE = 4000
"""Diagnosis looks at no case of more numbers, and reads no longer list."""
MOST_OPTIONS = 3
"""Of more mistakes that explain the answers equally well, only what they share is told."""
LEAVES_THE_FLOATS = frozenset({"OverflowError", "ZeroDivisionError", "FloatingPointError"})
Labels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Variant:
    """The mistakes that are made, and the answer to each case by its id."""

    labels: Labels
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class Diagnosis:
    """The labels of what went wrong, best first, and the sentences for the student.

    There are sentences without a label where several mistakes are possible and share none. ``about_size`` as
    in ``Misconception``: true where one of the mistakes fixes a size. ``made`` are the mistakes, for each
    possibility, whose edits of the solution answer alike.
    """

    labels: Labels = ()
    says: str = ""
    about_size: bool = False
    made: tuple[Labels, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        """Whether a reason was found."""
        return bool(self.labels)


NOTHING_KNOWN = Diagnosis()


class Diagnose(Protocol):
    """Names the mistake behind the answers to some cases of a task; without ``pairs``, a single one only."""

    def __call__(
        self, task: str, answers: Mapping[str, Answer], cases: Sequence[KnownCase], *, pairs: bool = True
    ) -> Diagnosis: ...


Sayings = Mapping[str, Diagnosis]
"""What is told of each mistake by itself, by its id."""


def diagnostic_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that diagnosis looks at: stored, of moderate size, of values alone."""
    return [
        one
        for one in known
        if one.case.task == task
        and one.case.group != "fresh"
        and one.gradients is None
        and _size(one.expected) <= LARGEST_CASE
    ]


def _size(value: Any) -> int:
    array = as_array(value)
    if array is not None:
        return int(array.size)
    return sum(_size(part) for part in value) if isinstance(value, tuple | list) else 0


def tell(alike: Sequence[Variant], sayings: Sayings) -> Diagnosis:
    """Name the mistakes of the one variant that agrees with the answers.

    Where several agree, what all of them share is certain and named; of the rest, two or three possibilities
    are told without a label.
    """
    options: dict[Labels, list[Diagnosis]] = {}
    made: dict[Labels, Labels] = {}
    for variant in alike:
        told = [sayings[one] for one in variant.labels]
        named = tuple(dict.fromkeys(label for one in told for label in one.labels))
        options.setdefault(named, told)
        made.setdefault(named, variant.labels)
    if not options:
        return NOTHING_KNOWN
    (labels, found), *others = options.items()
    shared = [one for one in found if all(set(one.labels) <= set(other) for other, _ in others)]
    says = list(dict.fromkeys(one.says for one in shared))
    if others and len(options) <= MOST_OPTIONS:
        rest = [" ".join(one.says for one in told if one not in shared) for told in options.values()]
        start = "In addition, one" if shared else "One"
        says.append(f"{start} of these may explain your results. Either: {' Or: '.join(rest)}")
    certain = [label for label in labels if any(label in one.labels for one in shared)]
    about_size = any(one.about_size for one in shared)
    return Diagnosis(tuple(certain), " ".join(says), about_size, tuple(made.values())[:MOST_OPTIONS])


def agreeing(
    answers: Mapping[str, Answer], known: Sequence[KnownCase], variants: Iterable[Variant]
) -> list[Variant]:
    """Return the variants that change some case and agree with the answers on every one."""
    if any(holds_more(answers[one.case.id].value, LARGEST_CASE) for one in known):
        return []
    return [
        variant
        for variant in variants
        if all(
            same_answer(answers[one.case.id], variant.answers[one.case.id], one.tolerance) for one in known
        )
        and any(answer.is_usable for answer in variant.answers.values())
        and is_visible(variant, known)
    ]


def as_told(labels: Labels) -> Labels:
    """The labels as results carry them: each form of a mistake, such as ``a/b``, is called ``a``."""
    return tuple(dict.fromkeys(label.partition("/")[0] for label in labels))


def is_visible(variant: Variant, known: Sequence[KnownCase]) -> bool:
    """Whether some case tells the variant from the right answer."""
    return any(differs(variant.answers[one.case.id], one) for one in known)


def differs(answer: Answer, known: KnownCase) -> bool:
    """Whether an answer is not the expected one."""
    return not answer.is_usable or not matches(answer.value, known.expected, tolerance=known.tolerance)


def same_answer(one: Answer, other: Answer, tolerance: float) -> bool:
    """Whether two answers are equal: both without a value, or with the same numbers, NaNs in place."""
    if not one.is_usable or not other.is_usable:
        return one.is_usable == other.is_usable
    return _same_value(one.value, other.value, tolerance)


def breaks_down(answer: Answer) -> bool:
    """Whether numbers became too large, or were divided by 0, on the way to an answer.

    Where NumPy gives NaN or infinity, plain Python raises.
    """
    if answer.error is not None:
        return answer.error.type in LEAVES_THE_FLOATS
    parts = answer.value[:MOST_PARTS] if isinstance(answer.value, tuple | list) else ()
    arrays = [as_array(one, LARGEST_CASE) for one in (answer.value, *parts)]
    return any(array is not None and not np.isfinite(array).all() for array in arrays)


def _same_value(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list) and len(one) == len(other):
        return all(_same_value(a, b, tolerance) for a, b in zip(one, other, strict=True))
    right = as_array(other)
    left = None if right is None else as_array(one, room_for(right))
    if left is None or right is None or left.shape != right.shape:
        return False
    left, right = left.astype(np.float64), right.astype(np.float64)
    finite = np.isfinite(right)
    if not np.array_equal(finite, np.isfinite(left)):
        return False
    with np.errstate(over="ignore"):  # a student's numbers may be as large as they like
        difference = np.abs(left[finite] - right[finite]).max(initial=0.0)
    return bool(difference <= allowed_difference(right, tolerance))
