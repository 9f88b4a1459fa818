"""Signs that an answer is right for numbers of usual size and wrong for large ones."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.language import say
from autograder.reasons.agreement import LARGEST_CASE, breaks_down
from autograder.reasons.context import Context
from autograder.reasons.parts import has_parts
from autograder.reasons.weights import are_shares
from autograder.reasons.wrong import labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    as_array,
    as_mask,
    of_one_shape,
    wrong_entries,
)
from autograder.verdict.failure import Reason
from autograder.verdict.interface import parts_of
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array

SOFTMAX_WRONG_AT_LARGE = (
    "Your results are right for scores of usual size, and wrong for large ones. These "
    "need no limit and no replacement: subtract from each query's scores their maximum "
    "before the exponential (where keys are masked, the maximum of the allowed ones), "
    "and nothing overflows."
)
FORBIDDEN_SCORE_COUNTS = (
    "Your results are right but for rows in which a forbidden score lies far above the "
    "allowed ones, where it still counts. Give every forbidden score minus infinity first, "
    "as in `np.where(mask, scores, -np.inf)`, and take the maximum and the exponentials of "
    "these. In a row in which nothing is allowed, take 0 for the maximum, and divide by 1."
)
LARGE = "large"
"""The topic of cases with large numbers, and the beginning of narrower ones."""
FORBIDDEN_OVERFLOWS = (
    "Your results are right for scores of usual size, and for large ones without a mask. With one, large scores "
    "give wrong results. Do scores that {mask} forbids enter the maximum that you subtract, or an exponential that "
    "overflows? Then give every forbidden score minus infinity first, as in `np.where(mask, scores, -np.inf)`, and "
    "take the maximum and the exponentials of these. Or are scores cut off or replaced where there is a mask?"
)
FAR_ABOVE = 30.0
"""A score that is higher than others by this leaves nothing of their exponentials beside its own."""
SOFTMAX_BREAKS_DOWN = (
    "Your results are right for scores of usual size, but large ones give NaN or "
    "infinite numbers. Usually exponentials overflow, or all of a query's vanish: "
    "before the exponential, subtract from each query's scores the maximum of these very scores."
)
MAXIMUM_OF_ALLOWED = "Where keys are masked, take the maximum of the allowed ones."
BREAKS_DOWN = (
    "Your results are right for numbers of usual size, but large ones give NaN or "
    "infinite numbers. Look for a power, a product or an exponential that grows too "
    "large on the way, or for a division by 0."
)
HALF_PRECISION = (
    "Your numbers are right as far as float16 goes, which keeps three digits: leave out "
    "`.astype(np.float16)`, `dtype=np.float16` or `.half()`, and compute in the type of "
    "the arguments."
)
USUAL_SIZE = 10.0
"""Arguments of usual size hold no larger number."""
NEARLY_RIGHT = 0.01
"""Numbers that are off by a smaller share of the largest one are close to the right ones."""


def breaks_down_at_large_numbers(context: Context, failed: KnownCases) -> Reason | None:
    """Find a function that is right at usual sizes, and has no finite numbers where inputs are large.

    Only where weights are asked for somewhere in the homework is a softmax blamed.
    """
    if not all(map(breaks_down, map(context.answer, failed))):
        return None
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    if not any(map(_expects_weights, context.cases.known)):
        return labelled("breaks-down-at-large-numbers", say(BREAKS_DOWN))
    says = say(SOFTMAX_BREAKS_DOWN)
    if any(_name_of_mask(context, known) for known in context.cases_like(failed[0])):
        says = f"{says} {say(MAXIMUM_OF_ALLOWED)}"
    return labelled("softmax-unstable", says)


def limits_large_scores(context: Context, failed: KnownCases) -> Reason | None:
    """Find weights that are right at usual sizes, and wrong where scores are large."""
    if not all(map(_expects_weights, failed)):
        return None
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    if not any(map(_has_large_numbers, failed)):
        return None
    for known in failed:
        answer = context.answer(known)
        if not answer.is_usable or not _has_right_shapes(known, answer.value):
            return None  # no scores give another shape
    # Numbers of few digits are told as such.
    if is_nearly_right(context, failed) is not None:
        return None
    return Reason(says=say(SOFTMAX_WRONG_AT_LARGE))


def counts_forbidden_scores(context: Context, failed: KnownCases) -> Reason | None:
    """Find weights that are wrong in those rows alone in which a forbidden score lies far above the others.

    That score was lowered too little, or entered the maximum or the sum.
    """
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    for known in failed:
        answer = context.answer(known)
        far_above = _rows_with_forbidden_above(known)
        weights = as_array(answer.value, LARGEST_CASE)
        if far_above is None or weights is None:
            return None
        if weights.shape != known.expected.shape or not np.isfinite(weights).all():
            return None
        wrong = wrong_entries(weights, known.expected, known.tolerance)
        if np.any(wrong.any(axis=-1) & ~far_above):
            return None
    # They count if all is right once they are low.
    calls = [_with_low_forbidden_scores(known) for known in failed]
    answers = context.submission.calls(calls)
    if not all(map(KnownCase.is_right, failed, answers)):
        return None
    return Reason(says=say(FORBIDDEN_SCORE_COUNTS))


def _with_low_forbidden_scores(known: KnownCase) -> FunctionCall:
    """Return a call of a masked softmax in which each forbidden score is the lowest score of all."""
    call = known.case.call
    assert isinstance(call, FunctionCall)
    scores, mask = call.args
    return call.with_inputs([np.where(mask, scores, scores.min()), mask])


def overflows_with_a_mask(context: Context, failed: KnownCases) -> Reason | None:
    """Find results that are wrong where scores are large and some are forbidden, and right without a mask."""
    names = set()
    for known in failed:
        if not known.case.topic.startswith(LARGE):
            return None
        names.add(_name_of_mask(context, known))
    if len(names) != 1 or None in names:
        return None
    [name] = names

    usual_cases = []
    large_without_mask = []
    masks_are_usual = False
    for known in context.cases_like(failed[0]):
        has_mask = _name_of_mask(context, known) is not None
        if not known.case.topic.startswith(LARGE):
            usual_cases.append(known)
            masks_are_usual = masks_are_usual or has_mask
        elif not has_mask:
            large_without_mask.append(known)
    if not large_without_mask or not masks_are_usual:
        return None
    if not all(map(context.is_right, [*usual_cases, *large_without_mask])):
        return None
    return Reason(says=say(FORBIDDEN_OVERFLOWS, mask=name))


def _name_of_mask(context: Context, known: KnownCase) -> str | None:
    """Return the name of the argument of booleans in a case's call; None where there is none."""
    for name, argument in context.arguments(known).items():
        if as_mask(argument) is not None:
            return name
    return None


def _rows_with_forbidden_above(known: KnownCase) -> Array | None:
    """Return in which rows of a softmax a forbidden score lies far above all allowed ones.

    None where the arguments are not scores and a mask that is True where allowed.
    """
    call = known.case.call
    if not isinstance(call, FunctionCall) or len(call.args) != 2:
        return None
    scores, mask = call.args
    expected = known.expected
    for value in (scores, mask, expected):
        if not isinstance(value, np.ndarray):
            return None
    if mask.dtype.kind != "b" or scores.dtype.kind != "f" or scores.ndim < 2:
        return None
    if scores.shape != expected.shape or mask.ndim > scores.ndim:
        return None
    allowed = np.broadcast_to(mask, scores.shape)
    if np.any(expected[~allowed]):
        return None
    highest_allowed = np.where(allowed, scores, -np.inf).max(axis=-1)
    highest_forbidden = np.where(allowed, -np.inf, scores).max(axis=-1)
    return cast(Array, highest_forbidden > highest_allowed + FAR_ABOVE)


def _is_wrong_for_large_numbers_only(context: Context, failed: KnownCases) -> bool:
    """Return whether only cases with large numbers fail, and all those with usual numbers are right."""
    if any(known.case.topic != LARGE for known in failed):
        return False
    usual_cases = []
    for known in context.cases_like(failed[0]):
        if known.case.topic == "values":
            usual_cases.append(known)
    return bool(usual_cases) and all(map(context.is_right, usual_cases))


def _has_large_numbers(known: KnownCase) -> bool:
    """Return whether an argument of a case holds a number that no usual input has.

    Cases of this topic may be there for scores of 0 as well.
    """
    for argument in known.arguments:
        array = as_array(argument, LARGEST_CASE)
        if array is None or array.dtype.kind not in "fiu" or not array.size:
            continue
        if np.abs(array).max() > USUAL_SIZE:
            return True
    return False


def _expects_weights(known: KnownCase) -> bool:
    """Return whether weights, which sum to 1 along an axis, are among the expected arrays of a case."""
    for part in parts_of(known.expected):
        array = as_array(part, LARGEST_CASE)
        if array is None or array.dtype.kind != "f" or not array.size:
            continue
        if not np.isfinite(array).all():
            continue
        for axis, size in enumerate(array.shape):
            if size > 1 and are_shares(array, axis):
                return True
    return False


def _has_right_shapes(known: KnownCase, value: Any) -> bool:
    """Return whether an answer has as many parts as are expected, each in its right shape."""
    if not isinstance(known.expected, tuple | list):
        return _are_of_one_shape(value, known.expected)
    if not has_parts(known, value):
        return False
    return all(map(_are_of_one_shape, value, known.expected))


def _are_of_one_shape(value: Any, expected: Any) -> bool:
    return of_one_shape(value, expected) is not None


def is_nearly_right(context: Context, failed: KnownCases) -> Reason | None:
    """Find wrong answers of which every number is close to the right one."""
    answers = context.judged_answers(failed)
    distances = [known.distance(answer) for known, answer in answers.items()]
    if not distances or max(distances) > NEARLY_RIGHT:
        return None
    if any(map(_is_half_precision, answers.values())):
        return labelled("nearly-right", say(HALF_PRECISION))
    says = say(
        "Your numbers are close to the right ones, within {share:.0%} of "
        "the largest. Look for rounding, or for a small number that is "
        "added: even one that prevents a division by 0 can change the "
        "result.",
        share=NEARLY_RIGHT,
    )
    return labelled("nearly-right", says)


def _is_half_precision(answer: Answer) -> bool:
    """Whether an answer, or a part of it, is an array of float16."""
    for part in parts_of(answer.value):
        array = as_array(part, LARGEST_CASE)
        if array is not None and array.dtype == np.float16:
            return True
    return False
