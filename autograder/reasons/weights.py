"""Find how wrong weights relate to the right ones: of scaled or masked scores, or without a softmax."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from autograder.language import say
from autograder.reasons.wrong import (
    LEAST_SPARE,
    NEARLY,
    ArrayChange,
    WrongArray,
    WrongArrays,
    all_equal,
    axes_of,
    common_matrices,
    describe_factor,
    labelled,
)
from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

NOT_EXP: Mapping[str, ArrayChange] = {
    "x": lambda x: x,
    "x ** 2": np.square,
    "abs(x)": np.abs,
    "exp(abs(x))": lambda x: np.exp(np.abs(x)),
    "max(x, 0)": lambda x: x.clip(0),
}
"""Functions of the scores x that students take the shares of instead of the exponentials."""
POWERS = (
    (
        "weights-uniform",
        0,
        "Every key gets the same weight, whatever the scores: does the "
        "exponential get the same number for all keys, or is a score "
        "subtracted from itself?",
    ),
    (
        "powers-of-two",
        math.log(2),
        "Your softmax takes powers of 2 (`exp2`, `2 ** x`): it should take `exp`",
    ),
    (
        "powers-of-ten",
        math.log(10),
        "Your softmax takes powers of 10 (`10 ** x`): it should take `exp`",
    ),
    (
        "scores-negated",
        -1,
        "The scores reach the exponential with the wrong sign: look for a minus or an "
        "`abs`",
    ),
)
"""Factors of the scores that have a name: a label, the factor, and the sentence for the student."""
LOOK_FOR_MASK = "Look for a mask, a choice of the largest, or a loop that leaves out keys that count."


def weights_of_wrong_scores(
    wrongs: WrongArrays, axes: Sequence[tuple[int, str]] | None = None
) -> Reason | None:
    """Find the mistake in weights: their scores were scaled or masked, or never met the softmax.

    Args:
        wrongs: the wrong arrays. Where the expected numbers are no weights, nothing is found.
        axes: the axes along which weights may sum to 1, with their names; all by default, the last one first.
    """
    if axes is None:
        axes = axes_of(wrongs)[::-1]
    for axis, _ in axes:
        if not all(are_shares(wrong.expected, axis) for wrong in wrongs):
            continue

        if all(_is_right_after_softmax(wrong, axis) for wrong in wrongs):
            says = say(
                "The softmax of your numbers is right: return weights, not scores"
            )
            return labelled("before-softmax", says)
        reason = _scaled_scores(wrongs, axis)
        if reason is None:
            reason = _shares_of_others(wrongs, axis)
        if reason is not None:
            return reason

        with_zeros = [_right_where_not_zero(wrong) for wrong in wrongs]
        if all_equal(wrongs, with_zeros):
            says = say("Some of your weights are 0, and the others are right.")
            return labelled("weights-masked", f"{says} {say(LOOK_FOR_MASK)}")
        if any(_has_lost_row(wrong, axis) for wrong in wrongs):
            continue  # nobody shares what is left
        if all_equal(wrongs, (_shares(weights, axis) for weights in with_zeros)):
            says = say("Some of your weights are 0, and the others share what is left.")
            return labelled("weights-masked", f"{says} {say(LOOK_FOR_MASK)}")
    return None


def _has_lost_row(wrong: WrongArray, axis: int) -> bool:
    """Return whether a group along an axis is all zeros, and should not be."""
    is_lost = ~wrong.array.any(axis) & wrong.expected.any(axis)
    return bool(is_lost.any())


def are_shares(array: Array, axis: int) -> bool:
    """Return whether each group along an axis sums to 1 or is all zeros, and some sum to 1.

    A query has a row of zeros where no key is allowed.
    """
    sums = array.sum(axis)
    is_zero = ~array.any(axis)
    if array.min() < 0 or is_zero.all():
        return False
    is_one = np.abs(sums - 1) <= NEARLY
    return bool((is_one | is_zero).all())


def _is_right_after_softmax(wrong: WrongArray, axis: int) -> bool:
    """Return whether the softmax of the student's numbers is the expected array."""
    return wrong.are_equal(_shares(np.exp(wrong.array), axis), wrong.expected)


def _right_where_not_zero(wrong: WrongArray) -> Array:
    """Return the expected weights, but 0 where the student's weights are 0."""
    return np.where(wrong.array != 0, wrong.expected, 0)


def _shares(numbers: Array, axis: int) -> Array:
    """Divide numbers by the sum of their group along an axis; a group of zeros stays as it is."""
    totals = numbers.sum(axis, keepdims=True)
    is_zero = ~numbers.any(axis, keepdims=True)
    shares: Array = numbers / np.where(is_zero, 1, totals)
    return shares


def _shares_of_others(wrongs: WrongArrays, axis: int) -> Reason | None:
    """Find weights that are shares of other numbers than the exponentials of the scores, such as squares.

    The scores are an argument of the function; ``subtracted`` says how often their maximum is taken off.
    """
    for name, (formula, change), subtracted in itertools.product(
        common_matrices(wrongs), NOT_EXP.items(), (0, 1)
    ):
        count = _count_shares(wrongs, axis, name, change, subtracted)
        if count < LEAST_SPARE:
            continue
        scores = say("the scores")
        if subtracted:
            scores = say("the scores less their maximum")
        says = say(
            "Your weights are shares of `{formula}`, not of `exp(x)`, x being {scores}",
            formula=formula,
            scores=scores,
        )
        return labelled("not-exponentials", says)
    return None


def _count_shares(
    wrongs: WrongArrays, axis: int, name: str, change: ArrayChange, subtracted: int
) -> int:
    """Count the weights that are shares of changed scores; 0 if any weight is something else."""
    count = 0
    for wrong in wrongs:
        scores = wrong.matrices[name]
        try:
            numbers = change(scores - subtracted * scores.max(axis, keepdims=True))
            sums = numbers.sum(axis, keepdims=True)
            # What code makes of 0 / 0 reveals nothing: it may add a small number, or put something else there.
            weights = np.where(sums != 0, _shares(numbers, axis), wrong.array)
        except (ValueError, IndexError):
            # This argument has another shape than the weights.
            return 0
        if not wrong.equals(weights):
            return 0
        count += int(np.count_nonzero(sums)) * wrong.array.shape[axis]
    return count


def _scaled_scores(wrongs: WrongArrays, axis: int) -> Reason | None:
    """Find weights that are the softmax of the right scores times a factor.

    The logarithms of such weights, less their mean, are those of the right weights times the factor. The
    factor may be one for a whole array, or one for each query.
    """
    factors = []
    is_one_factor = True
    has_factor_per_query = False
    for wrong in wrongs:
        # A weight of 0 has no logarithm: under a mask the same keys must have none.
        is_seen = wrong.expected > 0
        if not np.array_equal(wrong.array > 0, is_seen):
            return None

        # Fit the factor: of the whole array, and of each group along the axis.
        logarithms = _centred_logarithms(wrong.array, is_seen, axis)
        right_logarithms = _centred_logarithms(wrong.expected, is_seen, axis)
        products = (right_logarithms * logarithms).sum(axis, keepdims=True)
        squares = (right_logarithms * right_logarithms).sum(axis, keepdims=True)
        factor = products.sum() / squares.sum()
        # A group of equal weights has no slope.
        factor_per_query = np.where(squares > NEARLY**2, products / squares, factor)

        size = wrong.array.shape[axis]
        if size < 2:
            return None
        if not _is_softmax_of_scaled(wrong, is_seen, factor, axis):
            if not _is_softmax_of_scaled(wrong, is_seen, factor_per_query, axis):
                return None
            is_one_factor = False
            if size > 2:  # two weights always lie on a line
                has_factor_per_query = True
        factors.append(float(factor))

    if has_factor_per_query:
        says = say(
            "The scores of each query are scaled by a different number. Are "
            "queries or scores divided by their norm, or by a number for each "
            "row?"
        )
        return labelled("scores-scaled", says)
    if not is_one_factor or _are_all(factors, 1):
        return None
    for label, named_factor, says in POWERS:
        if _are_all(factors, named_factor):
            return labelled(label, say(says))
    times, tells = describe_factor(factors, wrongs)
    says = say("Your softmax gets the right scores {times}", times=times)
    return labelled("scores-scaled", says, tells=tells)


def _are_all(factors: Sequence[float], number: float) -> bool:
    """Return whether all factors are one number but for rounding."""
    return all(abs(factor - number) <= NEARLY for factor in factors)


def _centred_logarithms(array: Array, is_seen: Array, axis: int) -> Array:
    """Return the logarithms of the numbers that are seen, less their mean along an axis; 0 for the others."""
    numbers = np.where(is_seen, array, 1)  # the logarithm of 1 is 0
    logarithms = np.log(numbers)
    count = np.maximum(is_seen.sum(axis, keepdims=True), 1)
    mean = logarithms.sum(axis, keepdims=True) / count
    centred: Array = np.where(is_seen, logarithms - mean, 0)
    return centred


def _is_softmax_of_scaled(
    wrong: WrongArray, is_seen: Array, factor: Array, axis: int
) -> bool:
    """Return whether weights are the softmax of the right scores times a factor: shares of their powers."""
    powers = np.where(is_seen, wrong.expected**factor, 0)
    return wrong.equals(_shares(powers, axis))
