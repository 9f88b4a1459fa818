"""How wrong weights relate to the right ones: of scores that were scaled or masked, or without a softmax."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from autograder.reasons.wrong import (
    LEAST_SPARE,
    NEARLY,
    Change,
    Wrong,
    Wrongs,
    all_came_as,
    axes_of,
    factor_in_words,
    labelled,
    named_in,
)
from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

NOT_EXP: Mapping[str, Change] = {
    "x": lambda x: x,
    "x ** 2": np.square,
    "abs(x)": np.abs,
    "exp(abs(x))": lambda x: np.exp(np.abs(x)),
    "max(x, 0)": lambda x: x.clip(0),
}


def weights_of_wrong_scores(
    wrongs: Wrongs, axes: Sequence[tuple[int, str]] | None = None
) -> Reason | None:
    """Weights, which sum to 1: of scores that were scaled or masked, or that never met the softmax.

    Rows of zeros may be among them, where nothing is allowed. ``axes`` are by default all, the last
    one first.
    """
    for axis, _ in axes_of(wrongs)[::-1] if axes is None else axes:
        if not all(_are_shares(wrong.wanted, axis) for wrong in wrongs):
            continue
        if all(
            one.are_equal(_shared(np.exp(one.got), axis), one.wanted) for one in wrongs
        ):
            return labelled(
                "before-softmax",
                "The softmax of your numbers is right: return weights, not scores",
            )
        if found := _powers(wrongs, axis) or _shares_of_others(wrongs, axis):
            return found
        look = "Look for a mask, a choice of the largest, or a loop that leaves out keys that count."
        for is_new, rest in ((False, "are right"), (True, "share what is left")):
            if all_came_as(
                wrongs, (_kept(one, axis if is_new else None) for one in wrongs)
            ):
                return labelled(
                    "weights-masked",
                    f"Some of your weights are 0, and the others {rest}. {look}",
                )
    return None


def _are_shares(array: Array, axis: int) -> bool:
    """Whether all groups along an axis sum to 1, but for groups of zeros, and some do."""
    sums = array.sum(axis)
    is_zero = ~array.any(axis)
    return bool(
        array.min() >= 0
        and ((np.abs(sums - 1) <= NEARLY) | is_zero).all()
        and not is_zero.all()
    )


def _shares_of_others(wrongs: Wrongs, axis: int) -> Reason | None:
    """Weights that are shares of something else than the exponentials of an argument's numbers."""
    for name, (text, change), less in itertools.product(
        named_in(wrongs), NOT_EXP.items(), (0, 1)
    ):

        def numbers_of(
            wrong: Wrong, name: str = name, change: Change = change, less: int = less
        ) -> Array:
            x = wrong.named[name]
            return change(x - less * x.max(axis, keepdims=True))

        if not all_came_as(
            wrongs, (_shares_or_own(wrong, numbers_of(wrong), axis) for wrong in wrongs)
        ):
            continue
        compared = sum(
            np.count_nonzero(numbers_of(wrong).sum(axis)) * wrong.got.shape[axis]
            for wrong in wrongs
        )
        if compared >= LEAST_SPARE:
            scores = f"the scores{' less their maximum' if less else ''}"
            says = f"Your weights are shares of `{text}`, not of `exp(x)`, x being {scores}"
            return labelled("not-exponentials", says)
    return None


def _shares_or_own(wrong: Wrong, numbers: Array, axis: int) -> Array:
    """The shares of numbers; where they sum to 0, the submission's own weights.

    What code makes of 0 / 0 tells nothing: it may add a small number, or put something else there.
    """
    return np.where(
        numbers.sum(axis, keepdims=True) != 0, _shared(numbers, axis), wrong.got
    )


def _kept(one: Wrong, axis: int | None) -> Array:
    """The right weights where some came, as they are or as shares of what is left."""
    kept = np.where(one.got != 0, one.wanted, 0)
    return kept if axis is None else _shared(kept, axis)


def _shared(numbers: Array, axis: int) -> Array:
    """The shares of numbers in the sum of their group; a group of zeros stays as it is."""
    totals = numbers.sum(axis, keepdims=True)
    is_zero = ~numbers.any(axis, keepdims=True)
    shares: Array = numbers / np.where(is_zero, 1, totals)
    return shares


def _centred_logarithms(array: Array, is_seen: Array, axis: int) -> Array:
    """The logarithms of the numbers that are seen, less their mean along an axis, and 0 for all others."""
    logarithms = np.where(is_seen, np.log(np.where(is_seen, array, 1)), 0)
    count = np.maximum(is_seen.sum(axis, keepdims=True), 1)
    centred: Array = np.where(
        is_seen, logarithms - logarithms.sum(axis, keepdims=True) / count, 0
    )
    return centred


POWERS = (
    (
        "powers-of-two",
        math.log(2),
        "Your softmax takes powers of 2 (`exp2`, `2 ** x`): it should take `exp`",
    ),
    (
        "scores-negated",
        -1,
        "The scores reach the exponential with the wrong sign: look for a minus or an `abs`",
    ),
)


def _powers(wrongs: Wrongs, axis: int) -> Reason | None:
    """Softmax of the right scores times a factor: the weights' logarithms are the right ones times that."""
    factors, are_one, are_own = [], True, False
    for one in wrongs:
        # A weight of 0 has no logarithm: under a mask the same keys must have none.
        is_seen = one.wanted > 0
        if not np.array_equal(one.got > 0, is_seen):
            return None
        got, wanted = (
            _centred_logarithms(array, is_seen, axis) for array in (one.got, one.wanted)
        )
        covered, spread = (
            (wanted * other).sum(axis, keepdims=True) for other in (got, wanted)
        )
        factor = covered.sum() / spread.sum()
        own = np.where(
            spread > NEARLY**2, covered / spread, factor
        )  # a row of equal weights has no slope
        fits = [
            one.came_as(_shared(np.where(is_seen, one.wanted**a, 0), axis))
            for a in (factor, own)
        ]
        if not any(fits) or one.got.shape[axis] < 2:
            return None
        are_one, are_own = (
            are_one and fits[0],
            are_own or (not fits[0] and one.got.shape[axis] > 2),
        )
        factors.append(float(factor))
    if not are_one and not are_own:
        return None  # two weights always lie on a line
    if are_own:
        look = (
            "Are queries or scores divided by their norm, or by a number for each row?"
        )
        return labelled(
            "scores-scaled",
            f"The scores of each query are scaled by a number of its own. {look}",
        )
    if all(abs(factor) <= NEARLY for factor in factors):
        look = "does the exponential get the same number for all keys, or is a score subtracted from itself?"
        return labelled(
            "weights-uniform",
            f"Every key gets the same weight, whatever the scores: {look}",
        )
    for label, due, says in POWERS:
        if all(abs(factor - due) <= NEARLY for factor in factors):
            return labelled(label, says)
    if all(abs(factor - 1) <= NEARLY for factor in factors):
        return None
    return labelled(
        "scores-scaled",
        f"Your softmax gets the right scores {factor_in_words(factors, wrongs)}",
    )
