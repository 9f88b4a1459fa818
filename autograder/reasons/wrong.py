"""Wrong arrays beside what they should be, and how reasons about them are put into words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

LEAST_SPARE = 5
"""So many numbers more than are fitted must agree: a line fits any two points."""
NEARLY = 1e-3
RESULT = "your result"
"""What an array is called that is all of a result."""
Change = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Wrong:
    """A wrong array, what it should be, and which of its entries are wrong.

    ``named`` holds those arguments that are matrices, ``sizes`` the sizes of all, by what they are called.
    ``rounding`` is how far equal numbers may lie apart, as a share of the largest, ``words`` are what the
    axes are called, and ``title`` is what the array is called: one part of a result may be wrong.
    """

    got: Array
    wanted: Array
    marked: Array
    named: Mapping[str, Array]
    sizes: Mapping[str, int]
    rounding: float
    words: Sequence[str]
    title: str = RESULT

    def came_as(self, made: Array) -> bool:
        """Whether these are the numbers that came."""
        return self.are_equal(self.got, made)

    def are_equal(self, one: Array, other: Array) -> bool:
        """Whether two arrays hold the same finite numbers but for rounding.

        Numbers that are not finite agree with nothing: an infinite one would allow any difference.
        """
        if one.shape != other.shape or not (
            np.isfinite(one).all() and np.isfinite(other).all()
        ):
            return False
        return bool(np.abs(one - other).max() <= self.rounding * np.abs(other).max())


Wrongs = Sequence[Wrong]


def labelled(label: str, says: str) -> Reason:
    """Return a reason with one label, its text as a sentence."""
    return Reason((label,), f"{says}{'' if says[-1] in '.?' else '.'}")


def all_came_as(wrongs: Wrongs, made: Iterable[Array]) -> bool:
    """Whether all came as what is made; arrays that do not fit together make nothing."""
    try:
        return all(
            one.came_as(numbers) for one, numbers in zip(wrongs, made, strict=True)
        )
    except (ValueError, IndexError):
        return False


def axes_of(wrongs: Wrongs) -> list[tuple[int, str]]:
    """Return the axes of the arrays with their names, such as "row"."""
    return list(enumerate(wrongs[0].words))


def named_in(wrongs: Wrongs) -> list[str]:
    """Return the names of the arguments that are matrices in every case."""
    return [
        name for name in wrongs[0].named if all(name in wrong.named for wrong in wrongs)
    ]


def is_one_number(numbers: Sequence[float]) -> bool:
    """Whether the numbers of all cases are nearly equal."""
    return max(numbers) - min(numbers) <= NEARLY * abs(numbers[0])


def factor_in_words(factors: Sequence[float], wrongs: Wrongs) -> str:
    """Say what the factors of all cases are: one number, made of a size, or another in each case."""
    if is_one_number(factors):
        factor = f"{factors[0]:.4g}"
        factor = f"{factors[0]:.8g}" if factor == "1" else factor
        return f"times {factor}: look for that factor, or for a division that is missing or too many"
    roots = {
        0.5: "the square root of {}",
        1.0: "{}",
        1.5: "{} ** 1.5",
        2.0: "the square of {}",
    }
    for name in wrongs[0].sizes:
        sizes = [float(one.sizes.get(name) or math.nan) for one in wrongs]
        for power, share, sign in itertools.product(roots, (1.0, 2.0, 0.5), (1, -1)):
            due = [share * size ** (sign * power) for size in sizes]
            if all(abs(a - b) <= NEARLY * b for a, b in zip(factors, due, strict=True)):
                how = f"{'multiplied' if sign > 0 else 'divided'} by {roots[power].format(name)}"
                also = {1.0: "", 2.0: " and doubled", 0.5: " and halved"}[share]
                why = (
                    "`d ** 1/2` is `(d ** 1) / 2`, `d ** 0.5` the root"
                    if also and power == 0.5
                    else ""
                )
                return f"{how}{also}: {why or 'look at what you scale with'}"
    return "times a number that changes from input to input: look at what you multiply with or divide by"
