"""Reasons that wrong answers show by themselves, in any homework, without a known mistake.

Some are proofs and come before the known mistakes: a value from outside that is returned whatever the input,
and code that is right for a batch of inputs, or for one sequence. The others are reported if no known mistake
explains the answers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from autograder.course.cases import Call, FunctionCall, ObjectCall, ValueRead
from autograder.language import say
from autograder.reasons.agreement import (
    LARGEST_CASE,
    are_right,
    breaks_down,
    diagnostic_cases,
    same_answer,
)
from autograder.reasons.context import Context
from autograder.reasons.outside import named_arguments, positive_sizes
from autograder.reasons.places import MarkedCase, wrong_where_argument_is
from autograder.reasons.probes import (
    CALLS_DIFFER,
    Probe,
    calls_differ,
    first_item_for_all,
    probe,
    right_with_other_arguments,
    unused_argument,
)
from autograder.reasons.relations import AXES, LIST_OF_VECTORS, related
from autograder.reasons.transforms import OF_RESULT
from autograder.reasons.weights import are_shares
from autograder.reasons.wrong import RESULT, ArrayChange, WrongArray
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_answer,
    as_array,
    as_entries,
    deviation,
    has_items,
    holds_more,
    of_one_shape,
    split,
    wrong_entries,
)
from autograder.verdict.failure import BROUGHT_DOWN, NO_REASON, Reason
from autograder.verdict.interface import parts_of
from autograder.verdict.known import OPEN, KnownCase
from autograder.worker.wire import Array, Tensor

MOST_DECIMALS = 6
LEAST_WHOLE_NUMBERS = 3
"""So many different whole numbers show that numbers were rounded to whole ones."""
MOST_NAMES_READ = 10
ONE_SEQUENCE = "one-sequence-only"
ALL_ROWS = "all-rows-paired"
MOST_SEQUENCES = 60
"""Of larger batches the sequences are not tried one by one."""
HALF_PRECISION = (
    "Your numbers are right as far as float16 goes, which keeps three digits: leave out "
    "`.astype(np.float16)`, `dtype=np.float16` or `.half()`, and compute in the type of "
    "the arguments."
)
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
FAR_ABOVE = 30.0
"""A score that is higher than others by this leaves nothing of their exponentials beside its own."""
SOFTMAX_BREAKS_DOWN = (
    "Your results are right for scores of usual size, but large ones give NaN or "
    "infinite numbers. Usually exponentials overflow, or all of a query's vanish: "
    "before the exponential, subtract from each query's scores their maximum; "
    "where keys are masked, the maximum of the allowed ones."
)
BREAKS_DOWN = (
    "Your results are right for numbers of usual size, but large ones give NaN or "
    "infinite numbers. Look for a power, a product or an exponential that grows too "
    "large on the way, or for a division by 0."
)
SAME = 1e-6
"""Equal calls whose numbers differ by less, relative to the largest, have given the same answer."""
MORE_CALLS = 3
"""The failed call is made so many times more: what was kept under the `id` of an argument may be met by chance."""
LIMITS = frozenset({"TimeLimit", "MemoryError"})
NEARLY_RIGHT = 0.01
"""Numbers that are off by a smaller share of the largest one are close to the right ones."""
ABOUT_AXES = (
    "ValueError",
    "IndexError",
    "AxisError",
    "RuntimeError",
    "TypeError",
    "AssertionError",
)
"""Exceptions that arrays with an axis too few or too many raise."""

Look = Callable[[Context, Sequence[KnownCase]], Reason | None]
"""Looks for one reason behind the failed cases of one check."""


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
    if len(functions) != 1 or not _are_wrong(context, failed):
        return None
    return _first_reason(PROOFS, context, failed)


def shown_by_answers(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a reason that the answers give by themselves, where no known mistake explains them.

    Args:
        context: the submission.
        failed: the failed cases of one check.

    Returns:
        The first reason of several; None also where not the values of the cases are wrong.
    """
    failed = [known for known in failed if not known.is_structured]
    if not failed or not _are_wrong(context, failed):
        return None
    return _first_reason(SIGNS, context, failed)


def _first_reason(
    looks: Sequence[Look], context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Return the reason of the first look that finds one."""
    for look in looks:
        reason = look(context, failed)
        if reason is not None:
            return reason
    return None


def turned(context: Context, task: str) -> Reason | None:
    """Find a part of the answers that is right, or equal to a known mistake, once transposed or negated.

    Matrices of a batch that are right as they came back stay as they are.

    Args:
        context: the submission, and what names known mistakes.
        task: name of the task, of which all diagnostic cases are looked at.
    """
    cases = diagnostic_cases(context.cases.known, task)
    answers = _judged_answers(context, cases)
    if all(known.is_right(answer) for known, answer in answers.items()):
        return None
    first_case = next(iter(answers))
    parts = parts_of(first_case.expected)[:MOST_PARTS]
    expected_parts = list(enumerate(map(as_entries, parts)))
    names = context.homework.task(task).returns

    # First all turns after which the answers are right, then those after which they are a known mistake's.
    for makes_right, turn, (place, expected) in itertools.product(
        (True, False), OF_RESULT, expected_parts
    ):
        if expected is None or expected.dtype.kind not in turn.dtype_kinds:
            continue
        if expected.ndim < turn.least_axes:
            continue
        if _is_part_right_throughout(answers, place):
            continue  # turned, right numbers may look like those of a mistake

        # A symmetric matrix is right either way.
        keeps_right = makes_right and turn.label == "returns-transposed"
        turned_answers = {}
        for known, answer in answers.items():
            turned_answers[known.case.id] = _with_turned_part(
                known, answer, place, turn.change, keeps_right
            )
        mistake = NO_REASON
        if makes_right:
            holds = are_right(turned_answers, answers)
        else:
            mistake = context.diagnose(task, turned_answers, [*answers], pairs=False)
            holds = bool(mistake.labels)
        if not holds:
            continue

        name = names[place] if place < len(names) else say("result")
        exchange = say("the last two axes (`.swapaxes(-1, -2)`)")
        if expected.ndim == 2:
            exchange = say("rows and columns (`.T`)")
        result = say("The value returned for the {name}", name=name)
        fact = say(turn.says, result=result, exchange=exchange)
        ending = mistake.says or say("Otherwise its values are right.")
        return Reason(
            (turn.label, *mistake.labels), f"{fact} {ending}", made=mistake.made
        )
    return None


def _is_part_right_throughout(answers: Mapping[KnownCase, Answer], place: int) -> bool:
    """Return whether one part of all answers with a value is right as it came back."""
    has_values = False
    for known, answer in answers.items():
        if not answer.is_usable:
            continue
        has_values = True
        if not isinstance(known.expected, tuple):
            if not known.is_right(answer):
                return False
            continue
        parts = split(answer.value, known.expected)
        if parts is None:
            return False
        if not deviation(parts[place], known.expected[place]) <= known.tolerance:
            return False
    return has_values


def _with_turned_part(
    known: KnownCase,
    answer: Answer,
    place: int,
    undo: ArrayChange,
    keeps_right: bool,
) -> Answer:
    """Return the answer with one part turned, if the returned value may be the expected part.

    Args:
        known: the case.
        answer: the answer to it.
        place: which part of an expected tuple; 0 for a single value.
        undo: turns the part.
        keeps_right: leave matrices of a batch that are right as they are.
    """
    is_tuple = isinstance(known.expected, tuple)
    expected_parts = parts_of(known.expected)
    parts: Sequence[Any] | None = [answer.value]
    if is_tuple:
        parts = split(answer.value, expected_parts)
    expected = as_entries(expected_parts[place])
    if not parts or expected is None:
        return answer
    array = as_answer(parts[place], expected)
    if array is None or array.ndim != expected.ndim:
        return answer

    turned_array = undo(array)
    if keeps_right and array.ndim > 1:
        if array.shape == expected.shape == turned_array.shape:
            wrong = wrong_entries(array, expected, known.tolerance)
            is_wrong_matrix = wrong.any(axis=(-1, -2), keepdims=True)
            turned_array = np.where(is_wrong_matrix, turned_array, array)
    if not is_tuple:
        return replace(answer, value=turned_array)
    turned_parts = list(parts)
    turned_parts[place] = turned_array
    return replace(answer, value=tuple(turned_parts))


# Cases and their answers


def _judged_answers(
    context: Context, cases: Sequence[KnownCase]
) -> dict[KnownCase, Answer]:
    """Return the cases that are judged instead of some cases, with the answers to them."""
    answers = {}
    for case in cases:
        known, key = context.judged(case)
        answers[known] = context.submission.answers[key]
    return answers


def _are_wrong(context: Context, cases: Sequence[KnownCase]) -> bool:
    """Return whether all values are wrong, and not only gradients, say, or the form of the answers."""
    for case in cases:
        known, key = context.judged(case)
        if known.is_right(context.submission.answers[key]):
            return False
    return True


def cases_of_one_function(context: Context, known: KnownCase) -> list[KnownCase]:
    """Return all cases of the function that a case calls and that expect arrays, if it expects one."""
    name = known.case.call.name
    cases = []
    for other in context.cases.known:
        if other.case.call.name == name and other.is_structured == known.is_structured:
            cases.append(other)
    return cases


# Proofs


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
    if not all(_have_same_numbers(value, other) for other in other_values):
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
        if _have_same_numbers(answer.value, value):
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


# What the answers show


def _pairs_all_rows(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a result with one axis more that has the right rows, or those of a known mistake, on its diagonal.

    An index such as `cos[:, None]` too many makes every row meet every row.
    """
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    diagonals: dict[str, Answer] = {}
    for case in cases:
        answer = context.submission.answers[case.case.id]
        result = as_array(answer.value, LARGEST_CASE)
        expected = as_entries(case.expected)
        if result is None or expected is None or expected.ndim == 0:
            return None
        while result.ndim > expected.ndim + 1 and len(result) == 1:
            result = result[0]
        if result.shape != (len(expected), *expected.shape):
            return None
        rows = np.arange(len(expected))
        diagonals[case.case.id] = replace(answer, value=result[rows, rows])
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
    return Reason((ALL_ROWS, *mistake.labels), says.rstrip(), made=mistake.made)


def _sums_over_nothing(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find lists of arrays whose first item is right, and whose later ones are the plain number 0.

    Python's ``sum`` over an iterator that an earlier round has used up is 0.
    """
    count_zeros = 0
    for known, answer in _judged_answers(context, failed).items():
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
        "0, as a sum over nothing is. A `map`, a `zip`, or another iterator gives its items "
        "only once: is one used up in the first round? Make a list of it."
    )
    return Reason(("sum-over-nothing",), says)


def _returns_argument(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find the argument that comes back in every case, on its own or as the first part that is wrong."""
    places_of_cases = []
    for known in cases_of_one_function(context, failed[0]):
        call = known.case.call
        answer = context.submission.answer(known)
        if not isinstance(call, FunctionCall) or not answer.is_usable:
            return None
        part, _ = _first_wrong(known, answer.value)
        places = set()
        for place, argument in enumerate(call.args):
            if _have_same_numbers(answer.value, argument):
                places.add(place)
            if _have_same_numbers(part, argument):
                places.add(place)
        places_of_cases.append(places)
    common_places = set.intersection(*places_of_cases)
    if not common_places:
        return None

    first_case = failed[0].case
    place = min(common_places)
    parameters = context.submission.facts(first_case.call.name).parameters
    argument_name = say("number {number}", number=place + 1)
    if place < len(parameters):
        argument_name = f"`{parameters[place]}`"
    answer = context.submission.answer(failed[0])
    part_place = _first_wrong_place(failed[0], answer.value)
    part_names = context.homework.task(first_case.task).returns
    where = ""
    if part_place is not None and part_place < len(part_names):
        where = " " + say("instead of the {name}", name=part_names[part_place]).replace(
            "_", " "
        )
    return Reason(
        ("returns-argument",),
        say(
            "Your argument {argument_name} comes back{where}, with its numbers "
            "unchanged. Return what is computed from it.",
            argument_name=argument_name,
            where=where,
        ),
    )


def _rounds_result(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find results of a function that are the right ones to so many decimals, and have no more of them."""
    arrays = []
    expected_arrays = []
    cases = cases_of_one_function(context, failed[0])
    for known, answer in _judged_answers(context, cases).items():
        if known.is_right(answer):
            continue
        part, expected_part = _first_wrong(known, answer.value)
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
    return Reason(
        ("rounds-result",),
        say(
            "Your numbers are the right ones, rounded {how} Return results as "
            "they are computed.",
            how=how,
        ),
    )


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


def _breaks_down_at_large_numbers(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Find a function that is right at usual sizes, and has no finite numbers where inputs are large.

    Only where weights are asked for somewhere in the homework is a softmax blamed.
    """
    for known in failed:
        if not breaks_down(context.submission.answer(known)):
            return None
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    if not any(_expects_weights(known) for known in context.cases.known):
        return Reason(("breaks-down-at-large-numbers",), say(BREAKS_DOWN))
    return Reason(("softmax-unstable",), say(SOFTMAX_BREAKS_DOWN))


def _limits_large_scores(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Find weights that are right at usual sizes, and wrong where scores are large."""
    if not all(_expects_weights(known) for known in failed):
        return None
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    for known in failed:
        answer = context.submission.answer(known)
        if not answer.is_usable or not _has_right_shapes(known, answer.value):
            return None  # no scores give another shape
    # Numbers of few digits are told as such.
    if _is_nearly_right(context, failed) is not None:
        return None
    return Reason((), say(SOFTMAX_WRONG_AT_LARGE))


def _counts_forbidden_scores(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Find weights that are wrong in those rows alone in which a forbidden score lies far above the others.

    That score was lowered too little, or entered the maximum or the sum.
    """
    if not _is_wrong_for_large_numbers_only(context, failed):
        return None
    for known in failed:
        answer = context.submission.answer(known)
        far_above = _rows_with_forbidden_above(known)
        weights = as_array(answer.value, LARGEST_CASE)
        if far_above is None or weights is None:
            return None
        if weights.shape != known.expected.shape or not np.isfinite(weights).all():
            return None
        wrong = wrong_entries(weights, known.expected, known.tolerance)
        if np.any(wrong.any(axis=-1) & ~far_above):
            return None
    return Reason((), say(FORBIDDEN_SCORE_COUNTS))


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


def _is_wrong_for_large_numbers_only(
    context: Context, failed: Sequence[KnownCase]
) -> bool:
    """Return whether only cases with large numbers fail, and all those with usual numbers are right."""
    if any(known.case.topic != "large" for known in failed):
        return False
    usual_cases = []
    for known in cases_of_one_function(context, failed[0]):
        if known.case.topic == "values":
            usual_cases.append(known)
    if not usual_cases:
        return False
    return all(
        known.is_right(context.submission.answer(known)) for known in usual_cases
    )


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
    if not _has_parts(known, value):
        return False
    return all(map(_are_of_one_shape, value, known.expected))


def _are_of_one_shape(value: Any, expected: Any) -> bool:
    return of_one_shape(value, expected) is not None


def _is_nearly_right(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find wrong answers of which every number is close to the right one."""
    answers = _judged_answers(context, failed)
    distances = [known.distance(answer) for known, answer in answers.items()]
    if not distances or max(distances) > NEARLY_RIGHT:
        return None
    if any(_is_half_precision(answer) for answer in answers.values()):
        return Reason(("nearly-right",), say(HALF_PRECISION))
    says = say(
        "Your numbers are close to the right ones, within {share:.0%} of "
        "the largest. Look for rounding, or for a small number that is "
        "added: even one that prevents a division by 0 can change the "
        "result.",
        share=NEARLY_RIGHT,
    )
    return Reason(("nearly-right",), says)


def _is_half_precision(answer: Answer) -> bool:
    """Whether an answer, or a part of it, is an array of float16."""
    for part in parts_of(answer.value):
        array = as_array(part, LARGEST_CASE)
        if array is not None and array.dtype == np.float16:
            return True
    return False


# Relations of wrong numbers to right ones


def _relates_to_right(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find how the wrong numbers, or those of the first wrong part, relate to the right ones.

    All wrong cases of the function and of one topic are looked at, and not only the failed ones, unless a check
    judges by other values than theirs.
    """
    topic = failed[0].case.topic
    cases_of_topic = {}
    for known in cases_of_one_function(context, failed[0]):
        if known.case.topic == topic:
            cases_of_topic[known.case.id] = known
    cases = list(failed)
    if all(_is_among(known, cases_of_topic) for known in failed):
        cases += cases_of_topic.values()

    answers = _judged_answers(context, cases)
    wrong: dict[KnownCase, Answer] = {}
    all_cases_wrong = True
    open_cases_wrong = True
    has_values = True
    for known, answer in answers.items():
        is_open = known.case.group in OPEN
        if known.is_right(answer):
            all_cases_wrong = False
            open_cases_wrong = open_cases_wrong and not is_open
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
    arrays = _wrong_arrays(context, wrong)

    # Calls that differ make every relation a chance; those that say least come after all probes.
    reason = probe(context, wrong_cases, [calls_differ])
    if reason is None:
        reason = related(arrays, all_cases_wrong=open_cases_wrong)
    if reason is None and has_values:
        unused = partial(unused_argument, all_cases_wrong=all_cases_wrong)
        probes: list[Probe] = [
            first_item_for_all,
            unused,
            right_with_other_arguments,
        ]
        reason = probe(context, wrong_cases, probes)
    if reason is None:
        reason = related(arrays, all_cases_wrong=open_cases_wrong, is_last=True)
    return reason


def _wrong_where_argument_is(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """Find an argument that holds one number, such as -1, wherever the result is wrong, and nowhere else."""
    marked_cases = []
    places = set()
    cases = cases_of_one_function(context, failed[0])
    for known, answer in _judged_answers(context, cases).items():
        if known.gradients is not None or isinstance(known.expected, list):
            return None
        if not answer.is_usable:
            # An exception in a hidden case takes nothing away from what all wrong numbers show.
            if known.case.group in OPEN:
                return None
            continue
        if not known.is_right(answer):
            places.add(_first_wrong_place(known, answer.value))
    if len(places) != 1:
        return None
    (place,) = places

    for known, answer in _judged_answers(context, cases).items():
        if not answer.is_usable:
            continue
        value, expected = answer.value, known.expected
        if place is not None:
            if not _has_parts(known, value):
                return None
            value, expected = value[place], expected[place]
        pair = of_one_shape(value, expected)
        if pair is None:
            return None
        array, right = pair
        parameters = context.submission.facts(known.case.call.name).parameters
        marked_case = MarkedCase(
            array=array,
            is_wrong=wrong_entries(array, right, known.tolerance),
            arguments=named_arguments(known.case.call, parameters),
        )
        marked_cases.append(marked_case)
    title = say(RESULT)
    names = context.homework.task(failed[0].case.task).returns
    if place is not None and place < len(names):
        title = say("the {title}", title=names[place].replace("_", " "))
    return wrong_where_argument_is(marked_cases, title)


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
    places = set()
    for known, answer in wrong.items():
        # The wrong array, and its name
        is_list = isinstance(known.expected, list)
        place = None
        if is_list:
            part, expected_part = answer.value, known.expected
        else:
            place = _first_wrong_place(known, answer.value)
            part, expected_part = _first_wrong(known, answer.value)
        places.add(place)
        array = as_array(part, LARGEST_CASE)
        expected = as_array(expected_part, LARGEST_CASE)
        if array is None or expected is None or len(places) > 1:
            return []
        if array.shape != expected.shape:
            return []
        names = context.homework.task(known.case.task).returns
        title = say(RESULT)
        if place is not None and place < len(names):
            title = say("the {title}", title=names[place].replace("_", " "))

        # The arguments that it may be made of
        call = known.case.call
        parameters = context.submission.facts(call.name).parameters
        matrices = {}
        for name, value in named_arguments(call, parameters).items():
            argument = as_array(value)
            if argument is not None and argument.ndim > 1:
                matrices[name] = _flat(argument)

        is_wrong = wrong_entries(array, expected, known.tolerance)
        holds_integers = array.dtype.kind in "iu"
        array = _flat(array.astype(float))
        axis_names = AXES.get(array.ndim, ())
        if is_list and array.ndim == 2:
            axis_names = LIST_OF_VECTORS
        wrong_array = WrongArray(
            array=array,
            expected=_flat(expected.astype(float)),
            is_wrong=_flat(is_wrong),
            matrices=matrices,
            sizes=positive_sizes(call, parameters),
            rounding=known.tolerance,
            axis_names=axis_names,
            title=title,
            holds_integers=holds_integers,
        )
        wrong_arrays.append(wrong_array)
    return wrong_arrays


def _flat(array: Array) -> Array:
    """Return the array without a last axis of length 1, as columns of numbers have it."""
    if array.ndim > 2 and array.shape[-1] == 1:
        return array[..., 0]
    return array


def _first_wrong(known: KnownCase, value: Any) -> tuple[Any, Any]:
    """Return the answer, or the first wrong part of a tuple of the right length, with the expected value.

    Both are None where nothing is wrong.
    """
    if _has_parts(known, value):
        place = _first_wrong_place(known, value)
        if place is None:
            return None, None
        return value[place], known.expected[place]
    if deviation(value, known.expected) > known.tolerance:
        return value, known.expected
    return None, None


def _first_wrong_place(known: KnownCase, value: Any) -> int | None:
    """Return the index of the first wrong part of a tuple of the right length; None where there are no parts."""
    if not _has_parts(known, value):
        return None
    for place, (part, expected) in enumerate(zip(value, known.expected, strict=True)):
        if deviation(part, expected) > known.tolerance:
            return place
    return None


def _has_parts(known: KnownCase, value: Any) -> bool:
    """Return whether a value has as many parts as are expected."""
    if not isinstance(known.expected, tuple | list):
        return False
    return has_items(value, len(known.expected))


def _have_same_numbers(value: Any, other: Any) -> bool:
    """Return whether two values, of which a submission may have made both, hold the same numbers in one shape."""
    array = as_array(value, LARGEST_CASE)
    other_array = as_array(other, LARGEST_CASE)
    if array is not None and other_array is not None:
        return bool(np.array_equal(array, other_array))
    if not isinstance(value, tuple | list) or not isinstance(other, tuple | list):
        return False
    if not 0 < len(value) == len(other) <= MOST_PARTS:
        return False
    return all(map(_have_same_numbers, value, other))


PROOFS: Sequence[Look] = (_returns_global, _batch_only, _one_sequence_only)
"""Reasons that further runs prove, whatever else is wrong."""
SIGNS: Sequence[Look] = (
    _pairs_all_rows,
    _sums_over_nothing,
    _returns_argument,
    _rounds_result,
    _breaks_down_at_large_numbers,
    _counts_forbidden_scores,
    _limits_large_scores,
    _wrong_where_argument_is,
    _relates_to_right,
    _is_nearly_right,
)
"""Reasons that the answers show, the most specific first."""
