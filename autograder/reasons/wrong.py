"""Wrong arrays next to the expected ones, and the words in which reasons speak of them."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.language import say
from autograder.verdict.failure import NO_REASON, Reason
from autograder.worker.wire import Array

LEAST_SPARE = 5
"""So many numbers more than are fitted must agree: a line fits any two points."""
CHANGING_FACTOR = (
    "times a number that changes from input to input: look at what you "
    "multiply with or divide by"
)
LEAST_SIZES = 3
"""So many different sizes must fit a number that is divided by: two fit by chance more easily."""
NEARLY = 1e-3
RESULT = "your result"
"""What an array is called that is all of a result."""
ROOTS: Mapping[float, str] = {
    0.5: "the square root of {size}",
    1.0: "{size}",
    1.5: "{size} ** 1.5",
    2.0: "the square of {size}",
}
"""Powers of a size that a factor may be, in words."""
SHARES: Mapping[float, str] = {1.0: "", 2.0: "and doubled", 0.5: "and halved"}
"""Numbers by which such a power may be multiplied besides, in words."""

ArrayChange = Callable[[Array], Array]
"""Makes another array from one, such as its square."""


class Tells(enum.Enum):
    """How much a reason tells, which decides what is added to it; see ``explanations.relation_to_right_answer``."""

    CAUSE = "what is wrong in the code"
    """The line is added where one change helps, and nothing is asked about it."""
    RELATION = "how the numbers are off"
    """The line is added, with the question about it."""
    EFFECT = "only what comes out, such as equal rows"
    """The line is searched for as long as where nothing is known."""
    LITTLE = "less than a wrong step of the solution with the same results"
    """Such a step takes its place."""
    GROUPS = "as little, of rows or columns that are off by numbers of their own"
    """What they depend on takes its place, or else such a step."""
    CHANCE = "that equal calls give different numbers"
    """The line is added without which they are right again and again."""


@dataclass(frozen=True, eq=False)
class FoundReason(Reason):
    """A reason that was found without a known mistake, and how much it tells."""

    tells: Tells = Tells.RELATION


def tells_of(reason: Reason) -> Tells:
    """Return how much a reason tells; one that says nothing of it tells how the numbers are off."""
    return reason.tells if isinstance(reason, FoundReason) else Tells.RELATION


@dataclass(frozen=True, eq=False)
class WrongArray:
    """A wrong array that a submission returned for one case, and the expected one.

    Attributes:
        array: the numbers of the submission.
        expected: the right numbers, of the same shape.
        is_wrong: for each entry whether it is wrong.
        matrices: those arguments of the call that have two axes or more, by their names.
        sizes: sizes of all arguments, 1 or more, by names such as "the number of rows of `Q`".
        rounding: how far apart equal numbers may be, as a share of the largest.
        axis_names: what one place along each axis is called, such as "row" and "column".
        title: what the array is called: it may be one part of a result.
        holds_integers: whether it came back with a dtype of whole numbers.
    """

    array: Array
    expected: Array
    is_wrong: Array
    matrices: Mapping[str, Array]
    sizes: Mapping[str, int]
    rounding: float
    axis_names: Sequence[str]
    title: str = RESULT
    holds_integers: bool = False

    def equals(self, array: Array) -> bool:
        """Return whether an array holds the numbers of the submission."""
        return self.are_equal(self.array, array)

    def are_equal(self, array: Array, other: Array) -> bool:
        """Return whether two arrays hold the same finite numbers but for rounding.

        Numbers that are not finite equal nothing: an infinite one would allow any difference.
        """
        if array.shape != other.shape:
            return False
        if not (np.isfinite(array) & np.isfinite(other)).all():
            return False
        allowed = self.rounding * np.abs(other).max()
        return bool(np.abs(array - other).max() <= allowed)


WrongArrays = Sequence[WrongArray]
"""The wrong arrays of all cases of one function."""


def labelled(
    label: str,
    says: str,
    mistake: Reason = NO_REASON,
    tells: Tells = Tells.RELATION,
) -> FoundReason:
    """Return a reason with a label, and perhaps a known mistake besides; its text ends as a sentence does."""
    if says[-1] not in ".?":
        says += "."
    labels = (label, *mistake.labels)
    return FoundReason(labels, says, made=mistake.made, tells=tells)


def all_equal(wrongs: WrongArrays, arrays: Iterable[Array]) -> bool:
    """Return whether every wrong array holds the numbers that a mistake would have returned.

    Args:
        wrongs: the wrong arrays.
        arrays: for each of them the array with the mistake. It may be computed while it is compared, and
            what raises because arrays do not fit together equals nothing.
    """
    try:
        pairs = zip(wrongs, arrays, strict=True)
        return all(wrong.equals(array) for wrong, array in pairs)
    except (ValueError, IndexError):
        return False


def axes_of(wrongs: WrongArrays) -> list[tuple[int, str]]:
    """Return the number of each axis with its name, such as "row"."""
    return list(enumerate(wrongs[0].axis_names))


def common_matrices(wrongs: WrongArrays) -> list[str]:
    """Return the names of the arguments that are matrices in every case."""
    names = []
    for name in wrongs[0].matrices:
        if all(name in wrong.matrices for wrong in wrongs):
            names.append(name)
    return names


def are_nearly_equal(numbers: Sequence[float]) -> bool:
    """Return whether the numbers of all cases are one number but for rounding."""
    spread = max(numbers) - min(numbers)
    return spread <= NEARLY * abs(numbers[0])


def describe_factor(factors: Sequence[float], wrongs: WrongArrays) -> tuple[str, Tells]:
    """Say which factor it is: one number, a power of a size, or another number in each case, which tells little.

    Args:
        factors: the factor of each case.
        wrongs: the wrong arrays of the same cases.
    """
    if are_nearly_equal(factors):
        factor = f"{factors[0]:.4g}"
        if factor == "1":
            factor = f"{factors[0]:.8g}"
        times = say(
            "times {factor}: look for that factor, or for a missing or extra division",
            factor=factor,
        )
        return times, Tells.RELATION

    for name, sizes in _sizes_in_each(wrongs):
        for power, share, sign in itertools.product(ROOTS, SHARES, (1, -1)):
            powers = [share * size ** (sign * power) for size in sizes]
            pairs = zip(factors, powers, strict=True)
            if not all(abs(factor - due) <= NEARLY * due for factor, due in pairs):
                continue
            hint = say("look at what you scale with")
            if power == 0.5 and share != 1:
                hint = say("`d ** 1/2` is `(d ** 1) / 2`, `d ** 0.5` the root")
            times = say(
                "{action} by {size}{share}: {hint}",
                action=say("multiplied") if sign > 0 else say("divided"),
                size=say(ROOTS[power], size=name),
                share=SHARES[share] and " " + say(SHARES[share]),
                hint=hint,
            )
            return times, Tells.RELATION
    by_a_number = _by_a_written_number(factors, wrongs)
    if by_a_number:
        return by_a_number, Tells.RELATION
    return say(CHANGING_FACTOR), Tells.LITTLE


def _sizes_in_each(wrongs: WrongArrays) -> Iterator[tuple[str, list[float]]]:
    """Yield the name of each size with its number in each case; NaN where a case has none."""
    for name in wrongs[0].sizes:
        yield name, [float(wrong.sizes.get(name) or math.nan) for wrong in wrongs]


def _by_a_written_number(factors: Sequence[float], wrongs: WrongArrays) -> str:
    """Say which number stands in place of a root, or of a size, that changes from input to input; else nothing."""
    for name, sizes in _sizes_in_each(wrongs):
        if len(set(sizes)) < LEAST_SIZES:
            continue
        for power in (0.5, 1.0):
            pairs = zip(factors, sizes, strict=True)
            numbers = []
            for factor, size in pairs:
                if factor:
                    numbers.append(size**power / factor)
            if len(numbers) == len(factors) and are_nearly_equal(numbers):
                return say(
                    "multiplied by {size} and divided by {number:.4g}: is that number, or one that gives it, "
                    "written in the code, where each input has its own?",
                    size=say(ROOTS[power], size=name),
                    number=numbers[0],
                )
    return ""
