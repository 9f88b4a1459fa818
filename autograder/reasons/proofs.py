"""Reasons that further runs prove, whatever else is wrong: they come before the known mistakes.

A value from outside is returned whatever the input, the code is right for a batch of inputs only, or for one
sequence only, objects share what they keep, or the answer depends on the calls before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.calls import FunctionCall, ObjectCall, ValueRead
from autograder.language import say
from autograder.reasons.agreement import (
    LARGEST_CASE,
    are_right,
    diagnostic_cases,
    same_answer,
)
from autograder.reasons.context import Context, Look, first_reason
from autograder.reasons.parts import have_same_numbers
from autograder.reasons.probes import (
    CALLS_DIFFER,
    DIFFERS,
    array_of,
    with_array,
)
from autograder.reasons.without_memory import keeps_nothing
from autograder.reasons.wrong import Tells, labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    as_entries,
    deviation,
    holds_more,
    of_one_shape,
)
from autograder.verdict.failure import BROUGHT_DOWN, LIMIT_ERRORS, Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array

MOST_NAMES_READ = 10
ONE_SEQUENCE = "one-sequence-only"
ROWS_MIX = "rows-mix"
ROWS_ALONE_ARE_RIGHT = (
    "Called with only one item along the first axis, your function is right for each of them, and with several at "
    "once it is not. Look for an index that is meant for one of them, such as `a[:, ids]`, for a sum or a maximum "
    "over all, and for a `reshape` that should leave the first axis as it is."
)
RIGHT_NUMBERS_ELSEWHERE = (
    "Called with only one item along the first axis, your function is right for each of them, and with several at "
    "once its numbers are the right ones at other places. Is a `reshape` meant to exchange axes? It keeps the "
    "order of the numbers: exchange axes with `transpose` or `swapaxes` first."
)
ONE_SEQUENCE_IS_RIGHT = (
    "Your code is written for one sequence: called with each sequence of the batch "
    "separately, it is right. Here the first axis is the batch. Leave it in front, "
    "in `reshape` and `transpose` as well, and count the other axes from the end, "
    "as in `X.shape[-2:]` and `axis=-1`."
)
MOST_SEQUENCES = 60
"""Of larger batches the sequences, or the rows, are not tried one by one."""
SAME = 1e-6
"""Equal calls whose numbers differ by less, relative to the largest, have given the same answer."""
MORE_CALLS = 3
"""The failed call is made so many times more: what was kept under the `id` of an argument may be met by chance."""
ABOUT_AXES = (
    "ValueError",
    "IndexError",
    "AxisError",
    "RuntimeError",
    "TypeError",
    "AssertionError",
)
"""Exceptions that arrays with an axis too few or too many raise."""


def proved_by_runs(context: Context, failed: KnownCases) -> Reason | None:
    """Find a reason that further runs prove, regardless of other mistakes.

    Args:
        context: the submission.
        failed: the failed cases of one check.

    Returns:
        The reason; None also where the cases call several functions, or where not their values are wrong.
    """
    if isinstance(failed[0].case.call, ObjectCall):
        return _objects_share(context, failed[0])
    if any(known.is_structured for known in failed):
        return None
    calls = [known.case.call for known in failed]
    functions = set()
    for call in calls:
        if isinstance(call, FunctionCall):
            functions.add(call.name)
    if len(functions) != 1 or not context.are_wrong(failed):
        return None
    return first_reason(PROOFS, context, failed)


def _returns_global(context: Context, failed: KnownCases) -> Reason | None:
    """Find a value that comes back for all inputs while the function reads it, or others, from outside."""
    submission = context.submission
    name = failed[0].case.call.name
    values = []
    for known in context.cases_like(failed[0]):
        answer = context.answer(known)
        values.append(answer.value if answer.is_usable else None)
    value, *other_values = values
    if not other_values:
        return None
    if not all(have_same_numbers(value, other) for other in other_values):
        return None

    facts = submission.facts(name)
    names = []
    for other in facts.globals_read:
        if other not in facts.sizes:
            names.append(other)
    names = names[:MOST_NAMES_READ]
    if not names:
        return None
    quoted_names = [f"`{outside}`" for outside in names]
    label = "depends-on-global"
    fact = say("reads {names}", names=f" {say('and')} ".join(quoted_names))
    answers = submission.calls(list(map(ValueRead, names)))
    for outside_name, answer in zip(names, answers, strict=True):
        if have_same_numbers(answer.value, value):
            label = "returns-global"
            fact = say("returns `{returned_names}`", returned_names=outside_name)
            break
    says = say(
        "`{name}` gives the same result whatever its arguments are, and it "
        "{fact} from outside the function. Compute the result from the "
        "arguments.",
        name=name,
        fact=fact,
    )
    return labelled(label, says)


def _batch_only(context: Context, failed: KnownCases) -> Reason | None:
    """Find code that raises, and is right with one more axis in front of all its arguments, or of the first."""
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    for known in (*failed, *cases):
        error = context.answer(known).error
        if error is None or error.type not in ABOUT_AXES:
            return None  # also where only other sizes raise: what expects a batch never takes a matrix

    # Every failed check of the task asks the same.
    calls = []
    for count in (None, 1):
        calls += [_as_batch(known, count) for known in cases]
    all_answers = context.submission.calls_once(f"{task}, in a batch", calls)

    for which, start in (("arguments", 0), (say("first argument"), len(cases))):
        answers = {}
        for known, answer in zip(cases, all_answers[start:], strict=False):
            value = _first_item(answer.value)
            answers[known.case.id] = replace(answer, value=value)
        mistake = context.diagnose(task, answers, cases, pairs=False)
        are_usable = all(answer.is_usable for answer in answers.values())
        if (mistake.labels and are_usable) or are_right(answers, cases):
            says = say(
                "Your code expects a batch: it needs one more axis at the front of its "
                "{which}. There is no such axis here: exchange rows and columns with "
                "`.T`, and lower each index and `axis=` that counts the batch axis "
                "by one.",
                which=say(which),
            )
            says = f"{says} {mistake.says}".rstrip()
            return labelled("batch-only", says, mistake)
    return None


def _as_batch(known: KnownCase, count: int | None) -> FunctionCall:
    """Return a call with an axis in front of so many of its arguments, of all if it is None.

    Arguments that are no arrays stay as they are.
    """
    args = list(known.arguments)
    for index, value in enumerate(args[:count]):
        array = array_of(value)
        if array is not None:
            args[index] = with_array(value, array[None])
    return FunctionCall(known.case.call.name, tuple(args))


def _first_item(value: Any) -> Any:
    """Return the only item of a batch, part by part; anything else is returned unchanged."""
    if isinstance(value, tuple | list):
        return list(map(_first_item, value[:MOST_PARTS]))
    array = as_array(value, LARGEST_CASE)
    if array is not None and array.ndim and len(array) == 1:
        return array[0]
    return value


def _one_sequence_only(context: Context, failed: KnownCases) -> Reason | None:
    """Find a function that is wrong for a batch, and right for each of its sequences separately.

    Many a program from the web is written for one matrix of tokens, or for its heads. The first axis of its
    arguments is then taken for the tokens or the heads.
    """
    first = failed[0]
    answer = context.submission.answers.get(first.case.id)
    if answer is None:
        return None
    if of_one_shape(answer.value, first.expected) is not None:
        return None  # where the shape is right, the batch was seen
    task = first.case.task
    calls = []
    places = []
    for known in diagnostic_cases(context.cases.known, task):
        sequences = _calls_of_items(known, 3, _item)
        if not sequences:
            return None
        places += [(known, index) for index in range(len(sequences))]
        calls += sequences
    if len(calls) > MOST_SEQUENCES or not any(index for _, index in places):
        return None
    results = context.submission.calls_once(f"{task}, each sequence", calls)
    if not _are_items_right(places, results, _item):
        return None
    return labelled(ONE_SEQUENCE, say(ONE_SEQUENCE_IS_RIGHT))


def rows_mix(context: Context, failed: KnownCases) -> Reason | None:
    """Find a function that is right for each row of its arguments alone, and wrong for several at once."""
    rows_of_cases: list[tuple[KnownCase, list[FunctionCall]]] = []
    count = 0
    for known in failed:
        if isinstance(known.expected, tuple):
            continue
        rows = _calls_of_items(known, 2, _item_alone)
        if len(rows) > 1 and count + len(rows) <= MOST_SEQUENCES:
            rows_of_cases.append((known, rows))
            count += len(rows)
    if not rows_of_cases:
        return None
    # Most functions are wrong for the rows of the smallest case already.
    rows_of_cases.sort(key=lambda rows_of_case: rows_of_case[0].size)
    for some in (rows_of_cases[:1], rows_of_cases[1:]):
        calls = []
        places = []
        for known, rows in some:
            calls += rows
            places += [(known, index) for index in range(len(rows))]
        if not calls:
            continue
        if not _are_items_right(places, context.submission.calls(calls), _item_alone):
            return None
    if all(_holds_the_right_numbers(context, known) for known in failed):
        return labelled(ROWS_MIX, say(RIGHT_NUMBERS_ELSEWHERE))
    return labelled(ROWS_MIX, say(ROWS_ALONE_ARE_RIGHT))


def _holds_the_right_numbers(context: Context, known: KnownCase) -> bool:
    """Return whether the answer to a case holds the right numbers, if at other places."""
    pair = of_one_shape(context.answer(known).value, known.expected)
    if pair is None:
        return False
    array, expected = pair
    return bool(np.array_equal(np.sort(array, axis=None), np.sort(expected, axis=None)))


TakeItem = Callable[[Array, int], Array]
"""Takes an item of an array along the first axis."""


def _item(array: Array, index: int) -> Array:
    """Take an item without the axis."""
    item: Array = array[index]
    return item


def _item_alone(array: Array, index: int) -> Array:
    """Take an item as the only one along the axis."""
    return array[index : index + 1]


def _calls_of_items(
    known: KnownCase, least_axes: int, take: TakeItem
) -> list[FunctionCall]:
    """Return one call for each item along the first axis; nothing where the result has no item for each.

    Args:
        known: the case.
        least_axes: how many axes the first argument has at least.
        take: takes an item. Of an item without its axis, only arguments with as many axes as the first have one.
    """
    call = known.case.call
    if not isinstance(call, FunctionCall) or call.cotangent is not None:
        return []
    right = as_entries(known.expected)
    first = call.args[0] if call.args else None
    if not isinstance(first, np.ndarray) or first.ndim < least_axes:
        return []
    if right is None or not right.ndim or len(right) != len(first):
        return []
    calls = []
    for index in range(len(first)):
        items = []
        for value in call.args:
            has_items = isinstance(value, np.ndarray) and value.ndim > 0
            if take is _item:
                has_items = has_items and value.ndim == first.ndim
            if has_items and len(value) == len(first):
                value = take(value, index)
            items.append(value)
        calls.append(call.with_inputs(items))
    return calls


def _are_items_right(
    places: Sequence[tuple[KnownCase, int]], answers: Sequence[Answer], take: TakeItem
) -> bool:
    """Return whether the answers are the right items of cases, each given by case and index."""
    for (known, index), answer in zip(places, answers, strict=True):
        right = as_entries(known.expected)
        if right is None or not answer.is_usable:
            return False
        if not deviation(answer.value, take(right, index)) <= known.tolerance:
            return False
    return True


def _objects_share(context: Context, known: KnownCase) -> Reason | None:
    """Find a class of which an object is right as the first one, and wrong after others were made."""
    name = known.case.call.name
    if name in context.submission.steady:
        return None
    (answer,) = context.submission.calls([known.case.call])
    if not known.is_right(answer):
        context.submission.steady.add(name)
        return None
    says = say(
        "The first object of `{name}` is right, and the same one is wrong after others were made: they share "
        "something that one of them changes, such as a list in the body of the class, a default value or a "
        "global name. Make it anew in `__init__`, as in `self.items = []`.",
        name=name,
    )
    return labelled(DIFFERS, says)


def depends_on_earlier_calls(context: Context, failed: KnownCases) -> Reason | None:
    """Find a function that answers the same call differently after other calls.

    The failed call is made again with nothing before it, and then a right one. In a further run both must
    answer as in that one: random numbers would not.
    """
    known = failed[0]
    name = known.case.call.name
    submission = context.submission
    if name in submission.steady or not isinstance(known.case.call, FunctionCall):
        return None
    error = context.answer(known).error
    if error is not None and (error.type in LIMIT_ERRORS or error.type in BROUGHT_DOWN):
        return None  # such calls are not made again
    if context.code is not None and keeps_nothing(context.code, name):
        return None
    cases = [known]
    cases += list(filter(context.is_right, context.cases_like(known)))[:1]
    cases += [known] * MORE_CALLS
    calls = [case.case.call for case in cases]
    # As they came: further calls are never put into the form that is asked for.
    before = [submission.answers.as_returned[case.case.id] for case in cases]
    again = submission.calls_anew(f"{known.case.id}, with nothing before", calls)
    if not _answer_differently(before, again):
        return None
    # One that raises draws nothing; numbers may be random.
    all_return = all(answer.is_usable for answer in (*before, *again))
    if all_return:
        once_more = submission.calls_anew(f"{known.case.id}, once more", calls)
        if _answer_differently(again, once_more):
            return labelled(DIFFERS, say(CALLS_DIFFER), tells=Tells.CHANCE)
    says = say(
        "`{name}` answers the same call differently after other calls: something is kept from "
        "one call to the next, such as a list that is a default value (`items=[]`), a list "
        "outside the function, or earlier results; or memory is read that was never filled, as that "
        "of `np.empty`, or of `np.exp(x, where=mask)` without `out`. Every call must depend only on "
        "its arguments.",
        name=name,
    )
    return labelled(DIFFERS, says)


def _answer_differently(before: Sequence[Answer], again: Sequence[Answer]) -> bool:
    """Return whether answers to equal calls differ; one that hit a limit differs from nothing."""
    for answers in zip(before, again, strict=True):
        if all(map(_is_comparable, answers)) and not same_answer(*answers, SAME):
            return True
    return False


def _is_comparable(answer: Answer) -> bool:
    """Return whether an answer is within all limits, and equals itself."""
    error = answer.error
    if error is not None and error.type in LIMIT_ERRORS:
        return False
    if holds_more(answer.value, LARGEST_CASE):
        return False
    return same_answer(answer, answer, SAME)


PROOFS: Sequence[Look] = (_returns_global, _batch_only, _one_sequence_only)
"""Reasons that further runs prove, whatever else is wrong."""
