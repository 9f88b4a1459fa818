"""Reasons that further runs prove, whatever else is wrong: they come before the known mistakes.

A value from outside is returned whatever the input, the code is right for a batch of inputs only, or for one
sequence only, objects share what they keep, or the answer depends on the calls before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from autograder.course.cases import Call, FunctionCall, ObjectCall, ValueRead
from autograder.language import say
from autograder.reasons.agreement import (
    LARGEST_CASE,
    are_right,
    diagnostic_cases,
    same_answer,
)
from autograder.reasons.context import Context
from autograder.reasons.failed_cases import (
    Look,
    are_wrong,
    cases_of_one_function,
    first_reason,
    have_same_numbers,
)
from autograder.reasons.probes import (
    CALLS_DIFFER,
)
from autograder.reasons.without_memory import keeps_nothing
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_array,
    as_entries,
    deviation,
    holds_more,
    of_one_shape,
)
from autograder.verdict.failure import BROUGHT_DOWN, Reason
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Tensor

MOST_NAMES_READ = 10
ONE_SEQUENCE = "one-sequence-only"
ROWS_MIX = "rows-mix"
ROWS_ALONE_ARE_RIGHT = (
    "Called with each row of its arguments alone, your function is right, and with several at once it is not: "
    "what belongs to one row is done to all. Look for an index that is meant for one row, such as `a[:, ids]`, "
    "and for a sum or a maximum over all rows."
)
MOST_SEQUENCES = 60
"""Of larger batches the sequences are not tried one by one."""
SAME = 1e-6
"""Equal calls whose numbers differ by less, relative to the largest, have given the same answer."""
MORE_CALLS = 3
"""The failed call is made so many times more: what was kept under the `id` of an argument may be met by chance."""
LIMITS = frozenset({"TimeLimit", "MemoryError"})
ABOUT_AXES = (
    "ValueError",
    "IndexError",
    "AxisError",
    "RuntimeError",
    "TypeError",
    "AssertionError",
)
"""Exceptions that arrays with an axis too few or too many raise."""


def proved_by_runs(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a reason that further runs prove, regardless of other mistakes.

    Args:
        context: the submission.
        failed: the failed cases of one check.

    Returns:
        The reason; None also where the cases call several functions, or where not their values are wrong.
    """
    functions = set()
    for known in failed:
        if isinstance(known.case.call, FunctionCall):
            functions.add(known.case.call.name)
    if isinstance(failed[0].case.call, ObjectCall):
        return _objects_share(context, failed[0])
    if any(known.is_structured for known in failed):
        return None
    if len(functions) != 1 or not are_wrong(context, failed):
        return None
    return first_reason(PROOFS, context, failed)


def _returns_global(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a value that comes back for all inputs while the function reads it, or others, from outside."""
    submission = context.submission
    name = failed[0].case.call.name
    values = []
    for other in cases_of_one_function(context, failed[0]):
        answer = submission.answer(other)
        values.append(answer.value if answer.is_usable else None)
    value, *other_values = values
    if not other_values:
        return None
    if not all(have_same_numbers(value, other) for other in other_values):
        return None

    facts = submission.facts(name)
    outside_names = []
    for outside_name in facts.globals_read:
        if outside_name not in facts.sizes:
            outside_names.append(outside_name)
    outside_names = outside_names[:MOST_NAMES_READ]
    if not outside_names:
        return None
    outside_values = submission.calls(list(map(ValueRead, outside_names)))
    returned_names = []
    for outside_name, answer in zip(outside_names, outside_values, strict=True):
        if have_same_numbers(answer.value, value):
            returned_names.append(outside_name)
    if returned_names:
        label = "returns-global"
        fact = say("returns `{returned_names}`", returned_names=returned_names[0])
    else:
        label = "depends-on-global"
        quoted_names = [f"`{outside}`" for outside in outside_names]
        fact = say("reads {names}", names=f" {say('and')} ".join(quoted_names))
    return Reason(
        (label,),
        say(
            "`{name}` gives the same result whatever its arguments are, and it "
            "{fact} from outside the function. Compute the result from the "
            "arguments.",
            name=name,
            fact=fact,
        ),
    )


def _batch_only(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find code that raises, and is right with one more axis in front of all its arguments, or of the first."""
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    for known in (*failed, *cases):
        error = context.submission.answer(known).error
        if error is None or error.type not in ABOUT_AXES:
            return None  # also where only other sizes raise: what expects a batch never takes a matrix

    # Every failed check of the task asks the same.
    calls = []
    for count in (None, 1):
        calls += [_as_batch(known.case.call, count) for known in cases]
    all_answers = context.submission.calls_once(f"{task}, in a batch", calls)

    for which, start in (("arguments", 0), (say("first argument"), len(cases))):
        answers = all_answers[start : start + len(cases)]
        answers_by_id = {}
        for known, answer in zip(cases, answers, strict=True):
            value = _first_item(answer.value)
            answers_by_id[known.case.id] = replace(answer, value=value)
        mistake = context.diagnose(task, answers_by_id, cases, pairs=False)
        is_mistake = mistake.labels and all(answer.is_usable for answer in answers)
        if is_mistake or are_right(answers_by_id, cases):
            says = say(
                "Your code expects a batch: it needs one more axis at the front of its "
                "{which}. There is no such axis here: exchange rows and columns with "
                "`.T`, and lower each index and `axis=` that counts the batch axis "
                "by one.",
                which=say(which),
            )
            says = f"{says} {mistake.says}"
            return Reason(
                ("batch-only", *mistake.labels), says.rstrip(), made=mistake.made
            )
    return None


def _as_batch(call: Call, count: int | None) -> FunctionCall:
    """Return the call with an axis in front of so many of its arguments, of all if it is None.

    Arguments that are no arrays stay as they are.
    """
    args = list(cast(FunctionCall, call).args)
    for place, value in enumerate(args[:count]):
        if isinstance(value, Tensor):
            args[place] = replace(value, array=value.array[None])
        elif isinstance(value, np.ndarray):
            args[place] = value[None]
    return FunctionCall(call.name, tuple(args))


def _first_item(value: Any) -> Any:
    """Return the only item of a batch, part by part; anything else is returned unchanged."""
    if isinstance(value, tuple | list):
        return list(map(_first_item, value[:MOST_PARTS]))
    array = as_array(value, LARGEST_CASE)
    if array is not None and array.ndim and len(array) == 1:
        return array[0]
    return value


def _one_sequence_only(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
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
    cases = diagnostic_cases(context.cases.known, first.case.task)
    if not cases:
        return None

    calls: list[FunctionCall] = []
    batch_sizes = []
    for case in cases:
        sequences = _sequences(cast(FunctionCall, case.case.call), case.expected)
        calls += sequences
        batch_sizes.append(len(sequences))
    if not all(batch_sizes) or max(batch_sizes) < 2 or len(calls) > MOST_SEQUENCES:
        return None
    key = f"{first.case.task}, each sequence"
    results = iter(context.submission.calls_once(key, calls))
    for case, count in zip(cases, batch_sizes, strict=True):
        for place in range(count):
            expected = cast(Array, as_entries(case.expected))[place]
            result = next(results)
            if not result.is_usable:
                return None
            if deviation(result.value, expected) > case.tolerance:
                return None
    says = say(
        "Your code is written for one sequence: called with each sequence of the batch "
        "separately, it is right. Here the first axis is the batch. Leave it in front, "
        "in `reshape` and `transpose` as well, and count the other axes from the end, "
        "as in `X.shape[-2:]` and `axis=-1`."
    )
    return Reason((ONE_SEQUENCE,), says)


def _sequences(call: FunctionCall, expected: Any) -> list[FunctionCall]:
    """Return one call for each sequence of a batch; nothing where the call has no batch.

    The first argument holds the batch, and so do all arguments with as many axes and the same first size.
    """
    right = as_entries(expected)
    batch = call.args[0] if call.args else None
    if not isinstance(batch, np.ndarray) or batch.ndim < 3:
        return []
    if right is None or len(right) != len(batch):
        return []
    calls = []
    for place in range(len(batch)):
        arguments = []
        for value in call.args:
            is_batch = isinstance(value, np.ndarray) and value.ndim == batch.ndim
            if is_batch and len(value) == len(batch):
                arguments.append(value[place])
            else:
                arguments.append(value)
        calls.append(FunctionCall(call.name, tuple(arguments)))
    return calls


def rows_mix(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a function that is right for each row of its arguments alone, and wrong for several at once."""
    calls: list[FunctionCall] = []
    counts = []
    cases = []
    for known in failed:
        rows = _rows(known.case.call, known.expected)
        if len(rows) > 1 and len(calls) + len(rows) <= MOST_SEQUENCES:
            cases.append(known)
            counts.append(len(rows))
            calls += rows
    if not cases:
        return None
    results = iter(context.submission.calls(calls))
    for known, count in zip(cases, counts, strict=True):
        expected = cast(Array, as_entries(known.expected))
        for place in range(count):
            result = next(results)
            right_row = expected[place : place + 1]
            if not result.is_usable:
                return None
            if not deviation(result.value, right_row) <= known.tolerance:
                return None
    return Reason((ROWS_MIX,), say(ROWS_ALONE_ARE_RIGHT))


def _rows(call: Call, expected: Any) -> list[FunctionCall]:
    """Return one call for each row of all arguments that have as many rows as the result, or nothing."""
    right = as_entries(expected)
    if not isinstance(call, FunctionCall) or call.cotangent is not None:
        return []
    if right is None or right.ndim < 1 or isinstance(expected, tuple):
        return []
    first = call.args[0] if call.args else None
    if not isinstance(first, np.ndarray) or first.ndim < 2 or len(first) != len(right):
        return []
    calls = []
    for place in range(len(right)):
        arguments = []
        for value in call.args:
            has_rows = isinstance(value, np.ndarray) and value.ndim > 0
            if has_rows and len(value) == len(right):
                value = value[place : place + 1]
            arguments.append(value)
        calls.append(call.with_inputs(arguments))
    return calls


def _objects_share(context: Context, known: KnownCase) -> Reason | None:
    """Find a class of which an object is right as the first one, and wrong after others were made."""
    name = known.case.call.name
    if name in context.submission.steady:
        return None
    (answer,) = context.submission.calls([known.case.call])
    if not known.is_right(answer):
        context.submission.steady.add(name)
        return None
    says = (
        f"The first object of `{name}` is right, and the same one is wrong after others were made: they share "
        "something that one of them changes, such as a list in the body of the class, a default value or a "
        "global name. Make it anew in `__init__`, as in `self.items = []`."
    )
    return Reason(("differs-from-call-to-call",), says)


def depends_on_earlier_calls(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Find a function that answers the same call differently after other calls.

    The failed call is made again with nothing before it, and then a right one. In a further run both must
    answer as in that one: random numbers would not. On students' machines nothing is loaded anew, and a right
    call is wrong when it is made again.
    """
    known = failed[0]
    name = known.case.call.name
    submission = context.submission
    if name in submission.steady or not isinstance(known.case.call, FunctionCall):
        return None
    error = submission.answers[known.case.id].error
    if error is not None and (error.type in LIMITS or error.type in BROUGHT_DOWN):
        return None  # such calls are not made again
    if context.code is not None and keeps_nothing(context.code, name):
        return None
    cases = [known]
    for other in cases_of_one_function(context, known):
        if other.is_right(submission.answers[other.case.id]):
            cases.append(other)
            break
    cases += [known] * MORE_CALLS
    calls = [case.case.call for case in cases]
    # As they came: further calls are never put into the form that is asked for.
    before = [submission.answers.came[case.case.id] for case in cases]
    again = submission.calls_once(f"{known.case.id}, with nothing before", calls)
    if not _answer_differently(before, again):
        return None
    # One that raises draws nothing; numbers may be random.
    all_return = all(answer.is_usable for answer in (*before, *again))
    if all_return and _answer_differently(again, submission.calls(calls)):
        return Reason(("differs-from-call-to-call",), say(CALLS_DIFFER))
    says = say(
        "`{name}` answers the same call differently after other calls: something is kept from "
        "one call to the next, such as a list that is a default value (`items=[]`), a list "
        "outside the function, or earlier results. Every call must depend only on its arguments.",
        name=name,
    )
    return Reason(("differs-from-call-to-call",), says)


def _answer_differently(before: Sequence[Answer], again: Sequence[Answer]) -> bool:
    """Return whether answers to equal calls differ; one that hit a limit differs from nothing."""
    for answer, other in zip(before, again, strict=True):
        if any(
            _hit_a_limit(one) or holds_more(one.value, LARGEST_CASE)
            for one in (answer, other)
        ):
            continue
        is_comparable = same_answer(answer, answer, SAME) and same_answer(
            other, other, SAME
        )
        if is_comparable and not same_answer(answer, other, SAME):
            return True
    return False


def _hit_a_limit(answer: Answer) -> bool:
    return answer.error is not None and answer.error.type in LIMITS


PROOFS: Sequence[Look] = (_returns_global, _batch_only, _one_sequence_only)
"""Reasons that further runs prove, whatever else is wrong."""
