"""Laws of chance: how the draws of a right program are distributed, and which draws contradict that.

The chance of failing a right program is a bound for any number of draws, not an approximation for many. The
usual p-value of a chi-square test can be nearly 70 times too small, where a value is expected five times.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from autograder.verdict.arrays import as_entries
from autograder.worker.composites import Composite
from autograder.worker.wire import Array

ERROR = 1e-6
"""A right program fails a check of draws with at most this probability, unless the check says otherwise."""
MISSED = 1e-6
"""A deviation that can be seen is missed with at most this probability."""
ROUNDING = 1e-6
"""A drawn number may differ from a value by this part of it: float32 keeps seven digits."""
ROUNDING_OF_ZERO = 1e-12
"""A drawn number may differ from 0 by so much."""
MOST_DRAWS = 1_000_000
"""More draws are never judged: as objects of Python they would fill the memory."""
ROUNDING_OF_TOTAL = 1e-6
"""Probabilities may sum to a number that differs from 1 by so much."""
OTHER = object()
"""Stands for a drawn value that no law can name, such as a dictionary."""
Draws = Sequence[Any]


class Shares:
    """Values with a probability each.

    Draws are judged by the likelihood-ratio chi-square statistic, G. A right program reaches x = G / 2 with a
    probability of at most exp(f - x) (x / f)^f, where f is the number of possible values less 1, for x > f:
    R. Agrawal, "Finite-Sample Concentration of the Multinomial in Relative Entropy", IEEE Transactions on
    Information Theory 66 (2020).

    Args:
        shares: the probabilities of the values 0, 1, 2 …, or of each value: numbers, texts, or tuples of them.
        draws: how many draws an answer holds; None where its call is made that many times.

    Raises:
        ValueError: these are no probabilities.
    """

    def __init__(
        self,
        shares: Mapping[Any, float] | Sequence[float] | Array,
        draws: int | None = None,
    ) -> None:
        if not isinstance(shares, Mapping):
            shares = dict(enumerate(np.asarray(shares).tolist()))
        total = sum(shares.values())
        least = min(shares.values(), default=-1.0)
        distance_from_1 = abs(total - 1)
        if least < 0 or distance_from_1 > ROUNDING_OF_TOTAL:
            raise ValueError(f"the shares of all values sum to {total:g}, not to 1")
        self.draws = draws
        self.shares: dict[Hashable, float] = {}
        for value, share in shares.items():
            self.shares[value] = share / total

    def read(self, value: Any) -> Draws | None:
        """Return the draws in a decoded answer."""
        if isinstance(value, Composite) and value.kind == "objects":
            value = value.parts["items"]
        array = _entries(value)
        if array is not None:
            draws_are_rows = any(isinstance(key, tuple) for key in self.shares)
            if array.ndim <= 1 or not draws_are_rows:
                array = array.ravel()
            value = array.tolist()
        if not isinstance(value, list | tuple):
            value = [value]
        return list(map(_hashable, value))

    def evidence(self, draws: Draws) -> float:
        """Return how strongly draws contradict the law; infinite where one of them is impossible."""
        evidence = 0.0
        for value, count in self._counts(draws).items():
            share = self.shares.get(value, 0.0)
            if share == 0:
                return math.inf
            expected_count = len(draws) * share
            ratio = count / expected_count
            evidence += count * math.log(ratio)
        return evidence

    def limit(self, error: float) -> float:
        """Return the evidence that draws from the law reach with at most the probability ``error``."""
        possible = []
        for share in self.shares.values():
            if share > 0:
                possible.append(share)
        freedom = len(possible) - 1
        least = -math.log(error)
        if freedom == 0:
            return least
        # The bound falls from x = freedom on: halve the interval in which it passes the error.
        low = float(freedom)
        high = 2 * (freedom + least)
        for _ in range(100):
            middle = (low + high) / 2
            ratio = middle / freedom
            minus_log_of_bound = middle - freedom - freedom * math.log(ratio)
            if minus_log_of_bound < least:
                low = middle
            else:
                high = middle
        return high

    def distance(self, other: Shares, draws: Draws) -> float:
        """Return by how much the probability of some set of values differs between the two laws."""
        difference = 0.0
        for value in self.shares.keys() | other.shares.keys():
            share = self.shares.get(value, 0.0)
            other_share = other.shares.get(value, 0.0)
            difference += abs(share - other_share)
        return difference / 2

    def fact(self, draws: Draws) -> str:
        """Say where draws contradict the law most; for cases that students may see."""
        counts = self._counts(draws)
        number_of_draws = len(draws)
        largest_excess = -1.0
        fact = ""
        for value, share in self.shares.items():
            drawn_share = counts[value] / number_of_draws
            excess = abs(drawn_share - share)
            if excess > largest_excess:
                largest_excess = excess
                fact = (
                    f"{value!r} comes in {drawn_share:.1%} of {number_of_draws:,} draws; "
                    f"its probability is {share:.1%}."
                )
        return fact

    def chance_of_equal(self, count: int) -> float:
        """Return the probability that ``count`` draws come twice in the same order."""
        for_one_draw = 0.0
        for share in self.shares.values():
            for_one_draw += share**2
        return float(for_one_draw**count)

    def _counts(self, draws: Draws) -> Counter[Hashable]:
        """Count how often each value comes; a number that was rounded counts as the value it is near to."""
        counts = Counter[Hashable]()
        for draw, count in Counter(draws).items():
            counts[self._value_near(draw)] += count
        return counts

    def _value_near(self, draw: Hashable) -> Hashable:
        """Return the value that a draw is, or is near to; a draw that is near to none stands for itself."""
        if draw in self.shares:
            return draw
        for value in self.shares:
            if _is_near(draw, value):
                return value
        return draw


class Continuous:
    """Real numbers, by their cumulative distribution function. The methods are those of ``Shares``.

    Draws are judged by the Kolmogorov–Smirnov statistic D, the largest distance between that function and the
    share of draws up to a number. A right program reaches D with a probability of at most 2 exp(-2 n D²), the
    first term of Kolmogorov's series, which no number n of draws exceeds: P. Massart, "The Tight Constant in the
    Dvoretzky–Kiefer–Wolfowitz Inequality", Annals of Probability 18 (1990).

    Args:
        cdf: returns the probability of values up to a number, as ``statistics.NormalDist().cdf`` does.
        draws: how many draws an answer holds; None where its call is made that many times.
        low: the smallest possible number; the function is not asked about lower ones.
    """

    def __init__(
        self,
        cdf: Callable[[float], float],
        draws: int | None = None,
        low: float = -math.inf,
    ) -> None:
        self.cdf = cdf
        self.draws = draws
        self.low = low

    def read(self, value: Any) -> Draws | None:
        """Return the draws in a decoded answer, or None if it holds anything but finite numbers."""
        array = _entries(value)
        if array is None or array.dtype.kind == "b":
            return None
        if not np.isfinite(array).all():
            return None
        numbers: list[float] = array.ravel().astype(float).tolist()
        return numbers

    def evidence(self, draws: Draws) -> float:
        if min(draws) < self.low:
            return math.inf
        distance, _, _ = self._farthest(draws)
        return 2 * len(draws) * distance**2

    def limit(self, error: float) -> float:
        return math.log(2 / error)

    def distance(self, other: Continuous, draws: Draws) -> float:
        """Return the largest difference of the probability of values up to one of the draws."""
        distance = 0.0
        for draw in draws:
            share = self._share(draw)
            other_share = other._share(draw)
            difference = abs(share - other_share)
            distance = max(distance, difference)
        return distance

    def fact(self, draws: Draws) -> str:
        _, number, share = self._farthest(draws)
        right_share = self._share(number)
        return (
            f"{share:.1%} of {len(draws):,} draws are up to {number:.3g}; "
            f"it should be {right_share:.1%}."
        )

    def chance_of_equal(self, count: int) -> float:
        return 0.0

    def _share(self, number: float) -> float:
        if number < self.low:
            return 0.0
        return float(self.cdf(number))

    def _farthest(self, draws: Draws) -> tuple[float, float, float]:
        """Return the distance D, the draw at which it is reached, and the share of draws up to it."""
        farthest = (0.0, 0.0, 0.0)
        sorted_draws = sorted(draws)
        for place, number in enumerate(sorted_draws):
            right_share = self._share(number)
            # The share jumps at each draw: its distance may be largest before or after the jump.
            for count in (place, place + 1):
                share = count / len(draws)
                distance = abs(share - right_share)
                farthest = max(farthest, (distance, number, share))
        return farthest


Law = Shares | Continuous


def visible_deviation(law: Law, count: int, error: float) -> float:
    """Return the deviation that ``count`` draws show, except with the probability ``MISSED``.

    The evidence is at least twice the number of draws times the square of the deviation of their shares, for
    any set of values: for ``Shares`` by Pinsker's inequality. By Hoeffding's inequality these shares are no more
    than sqrt(log(1 / MISSED) / 2 count) nearer to the law than the program is.
    """
    roots = _roots(law, error)
    return roots / math.sqrt(2 * count)


def draws_needed(law: Law, deviation: float, error: float) -> float:
    """Return the number of draws that shows a deviation, except with the probability ``MISSED``."""
    if deviation == 0:
        return math.inf
    root = _roots(law, error) / deviation
    count = root**2 / 2
    return math.ceil(count)


def _roots(law: Law, error: float) -> float:
    """Return the sum of two square roots: of the evidence that fails a program, and of log(1 / MISSED)."""
    limit = law.limit(error)
    limit_of_misses = -math.log(MISSED)
    return math.sqrt(limit) + math.sqrt(limit_of_misses)


@dataclass(frozen=True)
class Chance:
    """The risk and the power of a check of random answers.

    Attributes:
        error: the probability, at most, that a right program fails.
        draws: how many draws are judged in each case, at least.
        seen: the deviation that they show in every case; 0 where no deviation is looked for.
        mistakes: of each known mistake, in the stored case that shows it best, by how much its probabilities are
            off, and how many draws show that.
    """

    error: float
    draws: int
    seen: float = 0.0
    mistakes: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _entries(value: Any) -> Array | None:
    """Return the numbers of a value; of very many only the first, which are too many in any case."""
    array = as_entries(value)
    if array is not None and array.size > MOST_DRAWS:
        array = array.ravel()[:MOST_DRAWS]
    return array


def _is_near(draw: Hashable, value: Hashable) -> bool:
    """Return whether a draw is a value but for the rounding of its numbers."""
    if isinstance(draw, tuple) and isinstance(value, tuple):
        if len(draw) != len(value):
            return False
        return all(map(_is_near, draw, value))
    if isinstance(draw, float) and isinstance(value, Real):
        return math.isclose(draw, value, rel_tol=ROUNDING, abs_tol=ROUNDING_OF_ZERO)
    return draw == value


def _hashable(item: Any) -> Hashable:
    """Return a drawn value as a key of shares: a row as a tuple."""
    if isinstance(item, bool | int | float | str | None):
        return item
    array = as_entries(item)
    if array is not None:
        item = array.tolist()
    if isinstance(item, list | tuple):
        return tuple(map(_hashable, item))
    return OTHER
