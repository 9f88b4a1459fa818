"""Reasons that wrong answers show by themselves: reported if no known mistake explains them.

``SIGNS`` lists them, the most specific first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from autograder.course.calls import FunctionCall
from autograder.language import say
from autograder.reasons.agreement import LARGEST_CASE, are_right, diagnostic_cases
from autograder.reasons.broadcasting import right_in_full_shape
from autograder.reasons.context import Context, Look, first_reason
from autograder.reasons.large_numbers import (
    breaks_down_at_large_numbers,
    counts_forbidden_scores,
    is_nearly_right,
    limits_large_scores,
    overflows_with_a_mask,
)
from autograder.reasons.parts import (
    first_wrong,
    first_wrong_part,
    has_parts,
    have_same_numbers,
)
from autograder.reasons.places import MarkedCase, wrong_where_argument_is
from autograder.reasons.probes import (
    calls_differ,
    first_item_for_all,
    probe,
    right_with_decimals,
    right_with_other_arguments,
    unused_argument,
)
from autograder.reasons.proofs import rows_mix
from autograder.reasons.relations import AXES, LIST_OF_VECTORS, related, rows_alike
from autograder.reasons.wrong import LEAST_SPARE, Tells, WrongArray, labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    as_array,
    as_entries,
    deviation,
    has_items,
    of_one_shape,
    wrong_entries,
)
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.known import OPEN, KnownCase, KnownCases
from autograder.verdict.titles import title_of
from autograder.worker.wire import Array

MOST_DECIMALS = 6
LEAST_WHOLE_NUMBERS = 3
"""So many different whole numbers show that numbers were rounded to whole ones."""
ALL_ROWS = "all-rows-paired"


def shown_by_answers(context: Context, failed: KnownCases) -> Reason | None:
    """Find a reason that the answers give by themselves, where no known mistake explains them.

    Args:
        context: the submission.
        failed: the failed cases of one check.

    Returns:
        The first reason of several; None also where not the values of the cases are wrong.
    """
    cases_of_arrays = []
    for known in failed:
        if not known.is_structured:
            cases_of_arrays.append(known)
    if not cases_of_arrays or not context.are_wrong(cases_of_arrays):
        return None
    return first_reason(SIGNS, context, cases_of_arrays)


def _pairs_all_rows(context: Context, failed: KnownCases) -> Reason | None:
    """Find a result with one axis more that has the right rows, or those of a known mistake, on its diagonal.

    An index such as `cos[:, None]` too many makes every row meet every row.
    """
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    diagonals = {}
    for known in cases:
        answer = context.answer(known)
        result = as_array(answer.value, LARGEST_CASE)
        expected = as_entries(known.expected)
        if result is None or expected is None or expected.ndim == 0:
            return None
        while result.ndim > expected.ndim + 1 and len(result) == 1:
            result = result[0]
        if result.shape != (len(expected), *expected.shape):
            return None
        rows = np.arange(len(expected))
        diagonals[known.case.id] = replace(answer, value=result[rows, rows])
    if not cases:
        return None

    mistake = NO_REASON
    if not are_right(diagonals, cases):
        mistake = context.diagnose(task, diagonals, cases, pairs=False)
        if not mistake.labels:
            return None
    says = say(
        "Your result has one axis too many: every row is combined with "
        "every row, where only row i with row i is meant. Look for an axis "
        "of length 1 that an index such as `[:, None]` puts between "
        "others. {says}",
        says=mistake.says,
    )
    return labelled(ALL_ROWS, says.rstrip(), mistake)


def _sums_over_nothing(context: Context, failed: KnownCases) -> Reason | None:
    """Find lists of arrays whose first item is right, and whose later ones are the plain number 0.

    Python's ``sum`` over an iterator that an earlier round has used up is 0.
    """
    count_zeros = 0
    for known, answer in context.judged_answers(failed).items():
        expected = known.expected
        if not isinstance(expected, list) or len(expected) < 2:
            return None
        if not has_items(answer.value, len(expected)):
            return None
        if deviation(answer.value[0], expected[0]) > known.tolerance:
            return None
        for item, expected_item in zip(answer.value[1:], expected[1:], strict=True):
            array = as_array(item)
            expected_array = as_array(expected_item)
            if array is None or array.ndim or array.item() != 0:
                return None
            if expected_array is None or expected_array.ndim == 0:
                return None
            count_zeros += 1
    if count_zeros < 2:
        return None
    says = say(
        "The first item of your result is right, and all later ones are the plain number "
        "0, which is what `sum` gives for an iterator that is used up. A `map`, a `zip`, or another iterator "
        "gives its items only once: is one used up in the first round? Make a list of it."
    )
    return labelled("sum-over-nothing", says, tells=Tells.CAUSE)


def _parts_are_one_array(context: Context, failed: KnownCases) -> Reason | None:
    """Find parts of a returned tuple that hold the same numbers in every case, and should not."""
    first = failed[0]
    names = context.homework.task(first.case.task).returns
    if not isinstance(first.expected, tuple) or len(first.expected) != len(names):
        return None
    answers = context.judged_answers(failed)
    for part, name in enumerate(names):
        same_names = [name]
        for other in range(part + 1, len(names)):
            if _are_alike_and_should_differ(answers, part, other):
                same_names.append(names[other])
        if len(same_names) > 1:
            *first_names, last_name = map(title_of, same_names)
            says = say(
                "{first_names} and {last_name} hold the same numbers, and they should "
                "differ: are they one and the same array, which is filled anew each time? "
                "Make a new array for each.",
                first_names=", ".join(first_names),
                last_name=last_name,
            )
            return labelled("all-alike", says, tells=Tells.EFFECT)
    return None


def _are_alike_and_should_differ(
    answers: Mapping[KnownCase, Answer], part: int, other: int
) -> bool:
    """Return whether two parts hold the same numbers in all cases that return something, and should not."""
    is_shown = False
    for known, answer in answers.items():
        if not answer.is_usable:
            continue
        value = answer.value
        if not has_parts(known, value):
            return False
        if _are_equal_by_right(known, part, other):
            continue
        if not have_same_numbers(value[part], value[other]):
            return False
        array = as_array(value[part], LARGEST_CASE)
        if array is not None and len(np.unique(array)) >= LEAST_SPARE:
            is_shown = True
    return is_shown


def _are_equal_by_right(known: KnownCase, part: int, other: int) -> bool:
    """Return whether two parts are expected to hold the same numbers, in whatever shapes."""
    first = known.expected[part]
    second = known.expected[other]
    if deviation(first, second) <= known.tolerance:
        return True
    array = as_array(first)
    other_array = as_array(second)
    if array is None or other_array is None:
        return False
    return bool(np.array_equal(array.ravel(), other_array.ravel()))


def _returns_argument(context: Context, failed: KnownCases) -> Reason | None:
    """Find the argument that comes back in every case, on its own or as the first part that is wrong."""
    common: set[int] | None = None
    for known in context.cases_like(failed[0]):
        call = known.case.call
        answer = context.answer(known)
        if not isinstance(call, FunctionCall) or not answer.is_usable:
            return None
        part, _ = first_wrong(known, answer.value)
        returned = set()
        for index, argument in enumerate(call.args):
            if have_same_numbers(answer.value, argument):
                returned.add(index)
            if have_same_numbers(part, argument):
                returned.add(index)
        common = returned if common is None else common & returned
    if not common:
        return None

    first = failed[0]
    index = min(common)
    parameters = context.parameters(first)
    argument_name = say("number {number}", number=index + 1)
    if index < len(parameters):
        argument_name = f"`{parameters[index]}`"
    wrong_part = first_wrong_part(first, context.answer(first).value)
    part_names = context.homework.task(first.case.task).returns
    where = ""
    if wrong_part is not None and wrong_part < len(part_names):
        part_title = title_of(part_names[wrong_part])
        where = " " + say("instead of the {name}", name=part_title)
        if part_title.startswith("`"):
            where = " " + say("instead of {name}", name=part_title)
    says = say(
        "Your argument {argument_name} comes back{where}, with its numbers "
        "unchanged. Return what is computed from it.",
        argument_name=argument_name,
        where=where,
    )
    return labelled("returns-argument", says)


def _rounds_result(context: Context, failed: KnownCases) -> Reason | None:
    """Find results of a function that are the right ones to so many decimals, and have no more of them."""
    arrays = []
    expected_arrays = []
    cases = context.cases_like(failed[0])
    for known, answer in context.judged_answers(cases).items():
        if known.is_right(answer):
            continue
        part, expected_part = first_wrong(known, answer.value)
        array = as_array(part, LARGEST_CASE)
        expected = as_array(expected_part, LARGEST_CASE)
        if array is None or expected is None:
            return None
        if not np.isfinite(deviation(array, expected)):
            return None
        arrays.append(array.ravel())
        expected_arrays.append(expected.ravel())
    if not arrays:
        return None

    decimals = decimals_left(np.concatenate(arrays), np.concatenate(expected_arrays))
    if decimals is None:
        return None
    if decimals == 0:
        how = say("to whole numbers: is it an array of integers?")
    else:
        how = say("or cut off after 1 decimal place.")
        if decimals > 1:
            how = say("or cut off after {count} decimal places.", count=decimals)
    says = say(
        "Your numbers are the right ones, rounded {how} Return results as "
        "they are computed.",
        how=how,
    )
    return labelled("rounds-result", says, tells=Tells.CAUSE)


def decimals_left(array: Array, expected: Array) -> int | None:
    """Return to how many decimals numbers are the right ones, rounded or, from 2 decimals on, cut off.

    Args:
        array: the numbers of the submission.
        expected: the right numbers, of the same shape.

    Returns:
        The most decimals, up to ``MOST_DECIMALS``; None where the numbers are neither rounded nor cut off.
    """
    precision = 0.0
    if array.dtype.kind == "f":
        precision = float(np.finfo(array.dtype).eps)
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        numbers = array.astype(np.float64)
        sign = np.where(expected < 0, -1, 1)
        missing = (expected - numbers) * sign
        for decimals in range(MOST_DECIMALS, -1, -1):
            # In units of the last decimal: whole numbers, and what they lack of the right ones.
            units = numbers * 10.0**decimals
            lacking = missing * 10.0**decimals
            blur = 4 * precision * max(1.0, float(np.abs(units).max()))
            are_whole = np.abs(units - np.round(units)).max() <= blur < 0.01
            if not are_whole or not array.any():
                continue
            # One number for all, and 0 and 1 for a choice, are near small right numbers by chance.
            if decimals == 0 and len(np.unique(units)) < LEAST_WHOLE_NUMBERS:
                return None
            if np.abs(lacking).max() <= 0.5 + blur:
                return decimals
            lacks_less_than_one = -blur <= lacking.min() and lacking.max() <= 1 + blur
            if decimals > 1 and lacks_less_than_one:
                # Numbers that all lack exactly 0 or 1 unit are shifted, and not cut off.
                if np.any((lacking > 0.01) & (lacking < 0.99)):
                    return decimals
    return None


def _relates_to_right(context: Context, failed: KnownCases) -> Reason | None:
    """Find how the wrong numbers, or those of the first wrong part, relate to the right ones.

    All wrong cases of the function and of one topic are looked at, and not only the failed ones, unless a check
    judges by other values than theirs.
    """
    topic = failed[0].case.topic
    cases_of_topic = {}
    for known in context.cases_like(failed[0]):
        if known.case.topic == topic:
            cases_of_topic[known.case.id] = known
    cases = list(failed)
    if all(_is_among(known, cases_of_topic) for known in failed):
        cases += cases_of_topic.values()

    wrong = {}
    right_cases = []
    has_values = True
    for known, answer in context.judged_answers(cases).items():
        is_open = known.case.group in OPEN
        if known.is_right(answer):
            right_cases.append(known)
            continue
        if known.gradients is not None:
            return None
        if not answer.is_usable:
            # An exception in a hidden case takes nothing away from what all wrong numbers show.
            if is_open or known is failed[0]:
                return None
            has_values = False
            continue
        wrong[known] = answer
    if not wrong:
        return None
    wrong_cases = list(wrong)
    all_cases_wrong = True
    open_cases_wrong = True
    for known in right_cases:
        if not _has_a_single_item(known, wrong_cases):
            all_cases_wrong = False
            if known.case.group in OPEN:
                open_cases_wrong = False
    arrays = _wrong_arrays(context, wrong)
    code = context.code_facts(failed[0].case.call.name)

    # Calls that differ make every relation a chance; those that say least come after all probes.
    reason = probe(context, wrong_cases, [calls_differ])
    if reason is None:
        reason = related(arrays, all_cases_wrong=open_cases_wrong, code=code)
    if reason is None and has_values:
        unused = partial(
            unused_argument,
            all_cases_wrong=all_cases_wrong,
            rows_alike=rows_alike(arrays),
        )
        probes: list[Look] = [
            first_item_for_all,
            unused,
            right_with_decimals,
            right_with_other_arguments,
        ]
        reason = probe(context, wrong_cases, probes)
    if reason is None:
        reason = related(
            arrays, all_cases_wrong=open_cases_wrong, is_last=True, code=code
        )
    return reason


def _has_a_single_item(known: KnownCase, wrong_cases: KnownCases) -> bool:
    """Return whether an axis of the answer has length 1, and is longer in each wrong case.

    With a single token or query, much that is wrong for several is right.
    """
    lengths = _lengths(known)
    for wrong in wrong_cases:
        pairs = zip(lengths, _lengths(wrong), strict=False)
        if not any(length == 1 < other for length, other in pairs):
            return False
    return True


def _lengths(known: KnownCase) -> list[int]:
    """Return the lengths of all axes of the right answer, or of its parts; of a list, how many items it has."""
    parts = [known.expected]
    if isinstance(known.expected, tuple):
        parts = list(known.expected)
    lengths = []
    for part in parts:
        if isinstance(part, list):
            lengths.append(len(part))
        else:
            lengths += np.shape(part)
    return lengths


def _wrong_where_argument_is(context: Context, failed: KnownCases) -> Reason | None:
    """Find an argument that holds one number, such as -1, wherever the result is wrong, and nowhere else."""
    wrong_parts = set()
    answers = {}
    cases = context.cases_like(failed[0])
    cases.sort(key=lambda known: known is not failed[0])  # the failed one leads
    for known, answer in context.judged_answers(cases).items():
        if known.gradients is not None or isinstance(known.expected, list):
            return None
        if answer.is_usable:
            answers[known] = answer
        elif known is failed[0]:
            # An exception in another case takes nothing away from what all wrong numbers show.
            return None
        if answer.is_usable and not known.is_right(answer):
            wrong_parts.add(first_wrong_part(known, answer.value))
    if len(wrong_parts) != 1:
        return None
    (part,) = wrong_parts

    marked_cases = []
    for known, answer in answers.items():
        value, expected = answer.value, known.expected
        if part is not None:
            if not has_parts(known, value):
                return None
            value, expected = value[part], expected[part]
        pair = of_one_shape(value, expected)
        if pair is None:
            return None
        is_wrong = wrong_entries(*pair, known.tolerance)
        marked_cases.append(MarkedCase(pair[0], is_wrong, context.arguments(known)))
    return wrong_where_argument_is(marked_cases, context.title(failed[0], part))


def _is_among(known: KnownCase, cases: Mapping[str, KnownCase]) -> bool:
    """Return whether a case is one of some stored cases, and is judged by the value that is stored."""
    stored = cases.get(known.case.id)
    return stored is not None and stored.expected is known.expected


def _wrong_arrays(
    context: Context, wrong: Mapping[KnownCase, Answer]
) -> list[WrongArray]:
    """Return the first wrong array of each answer, all of them in one place of what is returned.

    A list of like items is one array. Nothing is returned where shapes differ, or other parts are wrong in
    other cases.
    """
    wrong_arrays = []
    parts = set()
    for known, answer in wrong.items():
        # The wrong array
        is_list = isinstance(known.expected, list)
        part = None
        value, expected_value = answer.value, known.expected
        if not is_list:
            part = first_wrong_part(known, value)
            value, expected_value = first_wrong(known, value)
        parts.add(part)
        array = as_array(value, LARGEST_CASE)
        expected = as_array(expected_value, LARGEST_CASE)
        if array is None or expected is None or len(parts) > 1:
            return []
        if array.shape != expected.shape:
            return []

        # The arguments that it may be made of
        matrices = {}
        for name, argument in context.arguments(known).items():
            matrix = as_array(argument)
            if matrix is not None and matrix.ndim > 1:
                matrices[name] = _flat(matrix)

        numbers = _flat(array.astype(float))
        axis_names = AXES.get(numbers.ndim, ())
        if is_list and numbers.ndim == 2:
            axis_names = LIST_OF_VECTORS
        wrong_array = WrongArray(
            array=numbers,
            expected=_flat(expected.astype(float)),
            is_wrong=_flat(wrong_entries(array, expected, known.tolerance)),
            matrices=matrices,
            sizes=context.sizes(known),
            rounding=known.tolerance,
            axis_names=axis_names,
            title=context.title(known, part),
            holds_integers=array.dtype.kind in "iu",
        )
        wrong_arrays.append(wrong_array)
    return wrong_arrays


def _flat(array: Array) -> Array:
    """Return the array without a last axis of length 1, as columns of numbers have it."""
    if array.ndim > 2 and array.shape[-1] == 1:
        return array[..., 0]
    return array


SIGNS: Sequence[Look] = (
    _pairs_all_rows,
    _parts_are_one_array,
    _sums_over_nothing,
    _returns_argument,
    _rounds_result,
    right_in_full_shape,
    breaks_down_at_large_numbers,
    counts_forbidden_scores,
    overflows_with_a_mask,
    limits_large_scores,
    _wrong_where_argument_is,
    _relates_to_right,
    is_nearly_right,
    rows_mix,
)
"""Reasons that the answers show, the most specific first."""
