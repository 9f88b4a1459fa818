"""Find weights other than 0 at the places that a mask forbids."""

from __future__ import annotations

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.language import say
from autograder.reasons.agreement import LARGEST_CASE
from autograder.reasons.context import Context
from autograder.reasons.parts import first_wrong
from autograder.reasons.weights import are_shares
from autograder.verdict.arrays import as_mask, of_one_shape
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array

LEAST_PLACES = 2
"""Of fewer forbidden places nothing is said."""
NOT_ZERO = (
    "Each place that {mask} forbids should have the weight 0, and in your result none of "
    "them has. What stands at these places when you sum the exponentials? There should be "
    "0s, so that only allowed keys share the weight."
)


def forbidden_weights(context: Context, wrong_cases: KnownCases) -> str:
    """Return what to say where all forbidden places of all wrong cases have other weights than 0; else nothing.

    Args:
        context: the submission.
        wrong_cases: cases whose answers are wrong.
    """
    mask_names = set()
    places = 0
    for known in wrong_cases:
        value, expected = first_wrong(known, context.answer(known).value)
        pair = of_one_shape(value, expected)
        if pair is None or pair[0].size > LARGEST_CASE:
            return ""
        weights, right_weights = pair
        mask_name, forbidden = _mask_of(context, known, right_weights)
        if not mask_name or not np.all(weights[forbidden]):
            return ""
        mask_names.add(mask_name)
        places += int(np.count_nonzero(forbidden))
    if len(mask_names) != 1 or places < LEAST_PLACES:
        return ""
    [mask_name] = mask_names
    return say(NOT_ZERO, mask=mask_name)


def _mask_of(
    context: Context, known: KnownCase, right_weights: Array
) -> tuple[str, Array]:
    """Return the name of the mask of some weights, and where it forbids; no name where there is none."""
    nowhere = np.zeros(right_weights.shape, dtype=bool)
    if not isinstance(known.case.call, FunctionCall):
        return "", nowhere
    for name, argument in context.arguments(known).items():
        mask = as_mask(argument)
        if mask is None or mask.ndim > right_weights.ndim:
            continue
        try:
            allowed = np.broadcast_to(mask, right_weights.shape)
        except ValueError:
            continue  # a mask of something else
        is_obeyed = not np.any(right_weights[~allowed])
        if is_obeyed and are_shares(right_weights, -1):
            return name, ~allowed
    return "", nowhere
