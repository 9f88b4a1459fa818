"""The student's own weights, by which later steps are judged: one fault costs once.

A wrong softmax spoils every step after it. Such a step is right where it gives what the student's own,
wrong weights lead to. Weights that never look at the scores would excuse everything, so own weights count
only where three things hold:

1. They could be weights: finite real numbers of the right shape, and not all of them next to nothing.
2. They depend on the scores: made again they are the same, and with permuted scores they are not.
3. What they lead to needs them: zeros, equal weights, or a fixed key for all queries lead elsewhere.

A missing 1/√d_k must not be excused. Two kinds of weights could hide it: those that stay the same when all
scores are doubled, such as one key of each query with all the weight, and softmaxes of a multiple of the
scores. For these, the function is called again with the student's softmax replaced by the identity: what it
then returns must follow from the right scores.

What they lead to is compared relative to its own magnitude, so that small numbers are not all alike.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, cast

import numpy as np

from autograder.course.calls import Call, FunctionCall, PassThroughCall
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    as_array,
    deviation,
    has_items,
    largest_magnitude,
    of_one_shape,
    room_for,
)
from autograder.verdict.fixtures import Compare, SubmissionProxy
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array

LEAST_WEIGHT = 1e-4
"""Some weight is at least so large, whichever axis they were normalised over."""
NOTICEABLE = 1e-3
"""The share of the largest weight by which some weight moves with the scores, even after two softmaxes."""
CHANGES: tuple[Callable[[Array], Array], ...] = (
    np.copy,
    np.flip,
    lambda scores: np.roll(scores, 1, axis=0),
    lambda scores: 2 * scores,
)
"""What is done to the argument that the scores are made of: nothing, two permutations, and doubling."""


@dataclass(frozen=True, eq=False)
class Excuse:
    """The student's own, perhaps wrong weights on which the answer to a case may rest.

    Attributes:
        known: the case, of which ``judged_part`` is judged; None for the whole answer.
        weights: the weights that the student's code computed.
        answer_from: computes the right answer to the case from any weights.
        weight_cases: the cases whose answers hold the weights, whole or as their part ``weights_part``.
        softmax: the name of the student's function that made the weights; blank if none did.
        scores: the scores it made them of, of the same shape.
    """

    known: KnownCase
    weights: Array
    answer_from: Callable[[Array], Any]
    weight_cases: Sequence[KnownCase]
    weights_part: int | None = None
    judged_part: int | None = None
    softmax: str = ""
    scores: Array | None = None

    def answer_with(self, weights: Array) -> Any:
        """Return the right answer for some weights."""
        # A student's numbers may be as large as they like.
        with np.errstate(all="ignore"):
            return self.answer_from(weights)

    @cached_property
    def expected_answer(self) -> Any:
        """The right answer for the student's weights."""
        return self.answer_with(self.weights)

    @cached_property
    def is_finite(self) -> bool:
        """Whether the student's weights lead to real numbers."""
        is_finite = np.isfinite(self.expected_answer)
        return bool(is_finite.all())

    @cached_property
    def are_wrong(self) -> bool:
        """Whether the weights lead elsewhere than the right ones do; else there is nothing to excuse."""
        expected = _part_of(self.known, self.known.expected, self.judged_part)
        distance = deviation(self.expected_answer, expected)
        are_right = distance <= self.known.tolerance
        return not are_right

    @cached_property
    def tolerance(self) -> float:
        """The case's tolerance, relative to the result of wrong weights even if that is less than 1."""
        tolerance = self.known.tolerance
        if not self.are_wrong:
            return tolerance
        largest = _largest_number(self.expected_answer)
        return tolerance * min(1.0, largest)

    @cached_property
    def blind_weights(self) -> list[Array]:
        """Weights of the same shape that ignore the scores.

        They are all zero, uniform, one key for all queries, one query's row for all keys, and the identity.
        """
        *_, queries, keys = self.weights.shape
        blind = [np.zeros(()), self.weights.mean()]
        only_one_key = np.eye(keys)
        for key in (0, keys // 2, -1):
            blind.append(only_one_key[key])
        only_one_query = np.eye(queries)
        for query in (0, queries // 2, -1):
            row = only_one_query[query]
            blind.append(row[:, None])
        blind.append(np.eye(queries, keys))
        return [np.broadcast_to(array, self.weights.shape) for array in blind]

    def accepts_with(self, weights: Array) -> bool:
        """Return whether other weights give an answer that is right for the student's."""
        return self.accepts(self.answer_with(weights))

    def accepts(self, value: Any) -> bool:
        """Return whether a value is right for the student's weights."""
        if not self.is_finite:
            return False
        return deviation(value, self.expected_answer) <= self.tolerance


def compare_or_excuse(
    compare: Compare,
    known: KnownCases,
    speak_for: Callable[[KnownCases], Sequence[Excuse | None]],
) -> None:
    """Check that every case is right, or would be if the student's weights were.

    Args:
        compare: judges the cases.
        known: cases of one function.
        speak_for: returns the own weights that may excuse the cases that failed, None where there are none.
            They name their softmax and its scores, see ``Excuse``.

    Raises:
        CheckFailed: a case is wrong, and no own weights excuse it.
    """
    __tracebackhide__ = True
    failures = compare.judge_all(known)
    failed = []
    for case, failure in failures.items():
        if failure is not None:
            failed.append(case)
    if known and not failed:
        return
    submission = compare.submission
    excuses: Sequence[Excuse | None] = ()
    if failed:
        excuses = speak_for(failed)
    accepted = []
    for excuse in excuses:
        if excuse is None or not excuse.are_wrong:
            continue
        value = _answered_part(submission, excuse.known, excuse.judged_part)
        if excuse.accepts(value):
            accepted.append(excuse)
    is_excused = len(accepted) == len(excuses)
    if not is_excused or not _may_excuse(submission, accepted, judges_scale=True):
        compare.raise_if_failed(failures)


def mixed_by_own_weights(
    submission: SubmissionProxy,
    known: Sequence[KnownCase],
    values: Callable[..., Array],
) -> list[KnownCase]:
    """Return the cases of a function that returns weights and output, with the output due to its own weights.

    Where the own weights are wrong and do not count, a case stays as it is. An output that is right counts,
    whatever was returned as weights.

    Args:
        submission: the submission.
        known: cases of the function.
        values: makes the values from the arguments of a call.
    """
    excuses: list[Excuse | None] = []
    right_outputs = set()
    for case in known:
        output = _answered_part(submission, case, 1)
        if deviation(output, case.expected[1]) <= case.tolerance:
            right_outputs.add(case)
            excuses.append(None)
            continue
        weights = own_weights(submission, case, part=0)
        if weights is None:
            excuses.append(None)
            continue
        call = cast(FunctionCall, case.case.call)
        mixed = values(*call.args)
        answer_from = functools.partial(_mix, mixed)
        excuses.append(
            Excuse(case, weights, answer_from, [case], weights_part=0, judged_part=1)
        )

    wrong = []
    for excuse in excuses:
        if excuse is not None and excuse.are_wrong:
            wrong.append(excuse)
    wrong_ones_count = _may_excuse(submission, wrong)
    cases = []
    for case, excuse in zip(known, excuses, strict=True):
        if case in right_outputs:
            # What came back as weights may be scores, of which hidden ones are infinite.
            may_be_infinite = replace(case, case=replace(case.case, infinite=True))
            output = case.expected[1]
            cases.append(accepting(submission, may_be_infinite, 1, output))
        elif excuse is None or (excuse.are_wrong and not wrong_ones_count):
            cases.append(case)
        else:
            judged = replace(case, tolerance=excuse.tolerance)
            cases.append(accepting(submission, judged, 1, excuse.expected_answer))
    return cases


def _mix(values: Array, weights: Array) -> Any:
    return weights @ values


def accepting(
    submission: SubmissionProxy, known: KnownCase, judged: int, expected: Any
) -> KnownCase:
    """Return the case of a tuple of which one part is judged.

    The other parts are accepted as they came, if they came as arrays.
    """
    parts = list(known.expected)
    for index, expected_part in enumerate(parts):
        value = _answered_part(submission, known, index)
        array = as_array(value, room_for(expected_part))
        if array is not None:
            parts[index] = array
    parts[judged] = expected
    return replace(known, expected=tuple(parts))


def weights_alone(submission: SubmissionProxy, known: KnownCase) -> KnownCase:
    """Return a case of weights and an output in which any output is accepted: that has a check of its own."""
    weights, _ = known.expected
    return accepting(submission, known, 0, weights)


def compare_if_right(
    compare: Compare, known_cases: KnownCases, steps: KnownCases
) -> None:
    """Compare the answers to cases that rest on earlier steps, unless one of these is wrong.

    A wrong step has lost a check of its own: one fault costs once.
    """
    for step in steps:
        if not step.is_right(compare.submission.answer(step)):
            return
    compare(known_cases)


def own_weights(
    submission: SubmissionProxy, known: KnownCase, part: int | None = None
) -> Array | None:
    """Return the weights that an answer, or a part of it, holds; None where they could not be weights."""
    weights = _numbers(submission.answer(known), known, part)
    if weights is None:
        return None
    is_finite = np.isfinite(weights)
    if not is_finite.all():
        return None
    if largest_magnitude(weights) < LEAST_WEIGHT:
        return None
    return weights


def _numbers(answer: Answer, known: KnownCase, part: int | None) -> Array | None:
    """Return the real numbers of an answer or of its part, where their shape is right."""
    value = _part_of(known, answer.value, part)
    expected = _part_of(known, known.expected, part)
    pair = of_one_shape(value, expected)
    if pair is None:
        return None
    numbers, _ = pair
    return numbers.astype(np.float64)


def _numbers_of_further_call(
    submission: SubmissionProxy, answer: Answer, known: KnownCase, part: int | None
) -> Array | None:
    """Return the numbers of the answer to a further call, in the form of the case's answer."""
    restored = submission.answers.restored(known, answer)
    return _numbers(restored, known, part)


def _answered_part(
    submission: SubmissionProxy, known: KnownCase, part: int | None
) -> Any:
    return _part_of(known, submission.answer(known).value, part)


def _part_of(known: KnownCase, value: Any, part: int | None) -> Any:
    """Return a part of a value, or all of it for no part.

    Args:
        known: the case, of whose expected tuple the value should have as many parts.
        value: a value that a case expects or that came back.
        part: the index of the part.

    Returns:
        The part; None where the value is no tuple of so many.
    """
    if part is None:
        return value
    if not has_items(value, len(known.expected)):
        return None
    return value[part]


def _may_excuse(
    submission: SubmissionProxy, excuses: Sequence[Excuse], judges_scale: bool = False
) -> bool:
    """Return whether own weights may excuse an answer, see above; those of one function are judged together."""
    if not excuses:
        return False
    blind_weights_of_excuses = [excuse.blind_weights for excuse in excuses]
    for blind_weights in zip(*blind_weights_of_excuses, strict=True):
        pairs = zip(excuses, blind_weights, strict=True)
        if all(excuse.accepts_with(weights) for excuse, weights in pairs):
            return False  # weights that ignore the scores lead there, too
    return _depend_on_scores(submission, excuses, judges_scale)


def _depend_on_scores(
    submission: SubmissionProxy, excuses: Sequence[Excuse], judges_scale: bool
) -> bool:
    """Return whether own weights come from the scores, by calls that are made in one run with other checks'.

    Calls made again bring the same weights, and some call with permuted scores brings others. Where the scale
    is judged, doubled scores bring others too, or the function that is excused shows its scores.
    """
    # The calls, all in one run.
    calls: list[Call] = []
    for excuse in excuses:
        for known in excuse.weight_cases:
            call = cast(FunctionCall, known.case.call)
            scores, *other_arguments = call.args
            for change in CHANGES:
                changed = replace(call, args=(change(scores), *other_arguments))
                calls.append(changed)
        if judges_scale and excuse.softmax:
            excused_call = cast(FunctionCall, excuse.known.case.call)
            calls.append(PassThroughCall(excused_call, excuse.softmax))
    answers = iter(submission.joint_calls(calls))

    # Their answers, in the same order.
    moves_when_permuted = False
    for excuse in excuses:
        moves_when_doubled = False
        for known in excuse.weight_cases:
            part = excuse.weights_part
            before = _numbers(submission.answer(known), known, part)
            again, *permuted, doubled = islice(answers, len(CHANGES))
            weights_again = _numbers_of_further_call(submission, again, known, part)
            if before is None or weights_again is None:
                return False
            if not _are_alike(before, weights_again):
                return False
            # Weights that move in one case are enough: the others are not looked at.
            for answer in permuted:
                if not moves_when_permuted:
                    weights = _numbers_of_further_call(submission, answer, known, part)
                    moves_when_permuted = _differ(before, weights)
            if judges_scale and not moves_when_doubled:
                weights = _numbers_of_further_call(submission, doubled, known, part)
                moves_when_doubled = _differ(before, weights)
        if judges_scale and excuse.softmax:
            shown = submission.answers.restored(excuse.known, next(answers))
            hides_a_scale = not moves_when_doubled or _is_softmax_of_a_multiple(excuse)
            if hides_a_scale and not _shows_right_scores(excuse, shown):
                return False
    return moves_when_permuted


def _is_softmax_of_a_multiple(excuse: Excuse) -> bool:
    """Return whether own weights are right but for a factor of the scores: their logarithms have another slope."""
    if excuse.scores is None or excuse.weights.min(initial=1.0) <= 0:
        return False
    logarithms = np.log(excuse.weights)
    for axis in (-1, -2):  # that of the keys, in rows or in columns
        # The line through the logarithms, by least squares. A softmax subtracts a number from each row.
        scores = excuse.scores - excuse.scores.mean(axis=axis, keepdims=True)
        heights = logarithms - logarithms.mean(axis=axis, keepdims=True)
        squares = scores * scores
        products = scores * heights
        square = float(squares.sum())
        slope = 1.0
        if square:
            slope = float(products.sum()) / square
        if not abs(slope - 1) > NOTICEABLE:
            continue
        distances = np.abs(heights - slope * scores)
        if distances.max(initial=0.0) <= NOTICEABLE:
            return True
    return False


def _shows_right_scores(excuse: Excuse, answer: Answer) -> bool:
    """Return whether a function gave the result of the right scores while its softmax returned its argument."""
    scores = excuse.scores
    if scores is None:
        scores = excuse.weights
    known = excuse.known
    due = excuse.answer_with(scores)
    largest = _largest_number(due)
    tolerance = known.tolerance * max(1.0, largest)
    value = _part_of(known, answer.value, excuse.judged_part)
    return deviation(value, due) <= tolerance


def _largest_number(answer: Any) -> float:
    """Return the largest absolute number of an answer that may be of any length."""
    array = np.asarray(answer)
    return largest_magnitude(array)


def _differ(before: Array, after: Array | None) -> bool:
    if after is None:
        return False
    return not _are_alike(before, after)


def _are_alike(weights: Array, other: Array) -> bool:
    with np.errstate(all="ignore"):
        difference = weights - other
        distance = largest_magnitude(difference)
        allowed = NOTICEABLE * largest_magnitude(weights)
        return distance <= allowed
