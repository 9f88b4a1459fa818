"""What wrong answers show by themselves, in any homework: reasons that need no known mistake.

Two are proofs and come before the known mistakes: a value from outside that is returned whatever the input,
and code that is right for a batch of inputs. The others are told where no known mistake explains the answers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from autograder.course.cases import Call, FunctionCall, ValueRead
from autograder.reasons.agreement import LARGEST_CASE, breaks_down, diagnostic_cases
from autograder.reasons.context import Context
from autograder.reasons.outside import named_arguments, positive_sizes
from autograder.reasons.probes import (
    calls_differ,
    probe,
    right_with_other_arguments,
    unused_argument,
)
from autograder.reasons.relations import AXES, LIST_OF_VECTORS, related
from autograder.reasons.wrong import RESULT, WrongArray
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_answer,
    as_array,
    as_entries,
    deviation,
    of_one_shape,
    split,
    wrong_entries,
)
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.interface import parts_of
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Tensor

MOST_DECIMALS, MOST_NAMES_READ = 6, 10
ONE_SEQUENCE = "one-sequence-only"
ALL_ROWS = "all-rows-paired"
MOST_SEQUENCES = 60
"""Of larger batches the sequences are not tried one by one."""
NEARLY_RIGHT = 0.01
ABOUT_AXES = (
    "ValueError",
    "IndexError",
    "AxisError",
    "RuntimeError",
    "TypeError",
    "AssertionError",
)


def prove(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Look for what further runs prove of the function that all failed cases call."""
    functions = {
        one.case.call.name for one in failed if isinstance(one.case.call, FunctionCall)
    }
    if len(functions) != 1 or not _are_wrong(context, failed):
        return None
    return (
        _returns_global(context, failed[0])
        or _batch_only(context, failed)
        or _one_sequence_only(context, failed)
    )


def look_at(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Look for a reason that the answers alone give."""
    if not _are_wrong(context, failed):
        return None
    looks = (
        _keeps_state,
        _pairs_all_rows,
        _returns_argument,
        _rounds_result,
        _breaks_down_at_large_scores,
        _relates_to_right,
        _is_nearly_right,
    )
    return next(filter(None, (look(context, failed) for look in looks)), None)


EXCHANGED = "True and False have changed places. Does True stand for what the handout says, as for “allowed”?"
TURNS: Sequence[tuple[str, str, int, str, Callable[[Array], Array]]] = (
    (
        "returns-transposed",
        "fiub",
        2,
        "{0} is transposed: exchange {1}.",
        lambda a: a.swapaxes(-1, -2),
    ),
    (
        "mask-inverted",
        "b",
        0,
        f"{{0}} is the opposite: {EXCHANGED}",
        lambda a: 1 - a.astype(float),
    ),
)
"""A label, which dtypes and how many axes are expected at least, what is told, and what undoes it."""


def turned(context: Context, task: str) -> Reason | None:
    """All answers are right, or those of one known mistake, once arrays are transposed or booleans negated.

    Matrices of a batch that are right as they came stay as they are.
    """
    judged = dict(map(context.judged, diagnostic_cases(context.cases.known, task)))
    answers = {one: context.submission.answers[key] for one, key in judged.items()}
    if all(one.is_right(answer) for one, answer in answers.items()):
        return None
    first, names = (
        parts_of(next(iter(answers)).expected),
        context.homework.task(task).returns,
    )
    parts = [(place, as_entries(part)) for place, part in enumerate(first[:MOST_PARTS])]
    for is_right, turn, (place, right) in itertools.product(
        (True, False), TURNS, parts
    ):
        label, kinds, axes, says, undo = turn
        if right is None or right.dtype.kind not in kinds or right.ndim < axes:
            continue
        usable = {one: answer for one, answer in answers.items() if answer.is_usable}
        if usable and all(
            _is_part_right(one, answer, place) for one, answer in usable.items()
        ):
            continue  # turned, right numbers may look like those of a mistake
        keeps_right = (
            is_right and label == "returns-transposed"
        )  # a symmetric matrix is right either way
        made = {
            one.case.id: _with_part(one, was, place, undo, keeps_right)
            for one, was in answers.items()
        }
        beside = (
            NO_REASON
            if is_right
            else context.diagnose(task, made, [*answers], pairs=False)
        )
        if beside.labels or (
            is_right and all(one.is_right(made[one.case.id]) for one in answers)
        ):
            name = f"What came back for the {names[place] if place < len(names) else 'result'}"
            last = (
                "rows and columns (`.T`)"
                if right.ndim == 2
                else "the last two axes (`.swapaxes(-1, -2)`)"
            )
            told = f"{says.format(name, last)} {beside.says or 'Its values are right otherwise.'}"
            return Reason((label, *beside.labels), told, made=beside.made)
    return None


def _is_part_right(known: KnownCase, answer: Answer, place: int) -> bool:
    """Whether one part of an answer is right as it came."""
    if not isinstance(known.expected, tuple):
        return known.is_right(answer)
    parts = split(answer.value, known.expected)
    return (
        parts is not None
        and deviation(parts[place], known.expected[place]) <= known.tolerance
    )


def _with_part(
    known: KnownCase,
    answer: Answer,
    place: int,
    undo: Callable[[Array], Array],
    keeps_right: bool,
) -> Answer:
    """The answer with one part made otherwise, where it may be what is expected there.

    With ``keeps_right``, matrices of a batch that are right stay as they are.
    """
    wanted, is_tuple = parts_of(known.expected), isinstance(known.expected, tuple)
    parts = split(answer.value, wanted) if is_tuple else [answer.value]
    right = as_entries(wanted[place])
    array = as_answer(parts[place], right) if parts and right is not None else None
    if parts is None or right is None or array is None or array.ndim != right.ndim:
        return answer
    made = undo(array)
    if keeps_right and array.ndim > 1 and array.shape == right.shape == made.shape:
        wrong = wrong_entries(array, right, known.tolerance).any(
            axis=(-1, -2), keepdims=True
        )
        made = np.where(wrong, made, array)
    return replace(
        answer, value=(*parts[:place], made, *parts[place + 1 :]) if is_tuple else made
    )


def _relates_to_right(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """How the wrong numbers, or those of the first wrong part, relate to the right ones, in all wrong cases.

    Beside the failed cases these are all of their topic, unless a check judges by other values than theirs.
    """
    topic = failed[0].case.topic
    own = {
        one.case.id: one
        for one in _of_one_function(context, failed[0])
        if one.case.topic == topic
    }
    is_usual = all(
        one.case.id in own and own[one.case.id].expected is one.expected
        for one in failed
    )
    judged = dict(map(context.judged, (*failed, *(own.values() if is_usual else ()))))
    answers = {one: context.submission.answers[key] for one, key in judged.items()}
    wrong = {one: answer for one, answer in answers.items() if not one.is_right(answer)}
    if not all(
        answer.is_usable and one.gradients is None for one, answer in wrong.items()
    ):
        return None
    cases, arrays, are_all = (
        [*wrong],
        _wrong_arrays(context, wrong),
        len(wrong) == len(answers),
    )
    return (
        probe(context, cases, [calls_differ])
        or related(arrays, all_cases_wrong=are_all)
        or probe(
            context,
            cases,
            [
                partial(unused_argument, all_cases_wrong=are_all),
                right_with_other_arguments,
            ],
        )
        or related(arrays, all_cases_wrong=are_all, is_last=True)
    )


def _wrong_arrays(
    context: Context, wrong: Mapping[KnownCase, Answer]
) -> list[WrongArray]:
    """Return the first wrong array of each answer, all of them in one place of what is returned.

    A list of like items is one array. There are none where shapes differ, or other parts are wrong elsewhere.
    """
    found = []
    places = set()
    for known, answer in wrong.items():
        call, is_list = known.case.call, isinstance(known.expected, list)
        place = None if is_list else _first_wrong_place(known, answer.value)
        places.add(place)
        names = context.homework.task(known.case.task).returns
        title = (
            RESULT if place is None or place >= len(names) else f"the {names[place]}"
        )
        title = title.replace("_", " ")
        pair = (
            (answer.value, known.expected)
            if is_list
            else _first_wrong(known, answer.value)
        )
        got, right = (as_array(one, LARGEST_CASE) for one in pair)
        if got is None or right is None or got.shape != right.shape or len(places) > 1:
            return []
        parameters = context.submission.facts(call.name).parameters
        arrays = {
            name: as_array(one)
            for name, one in named_arguments(call, parameters).items()
        }
        named = {
            name: _flat(one)
            for name, one in arrays.items()
            if one is not None and one.ndim > 1
        }
        marked = _flat(wrong_entries(got, right, known.tolerance))
        sizes = positive_sizes(call, parameters)
        got, right = _flat(got.astype(float)), _flat(right.astype(float))
        words = LIST_OF_VECTORS if is_list and got.ndim == 2 else AXES.get(got.ndim, ())
        found.append(
            WrongArray(got, right, marked, named, sizes, known.tolerance, words, title)
        )
    return found


def _flat(array: Array) -> Array:
    """The array without a last axis of length 1, as columns of numbers have it."""
    return array[..., 0] if array.ndim > 2 and array.shape[-1] == 1 else array


def _are_wrong(context: Context, cases: Sequence[KnownCase]) -> bool:
    """Whether the values are wrong, and not only gradients, say, or the form that they came in."""
    return not any(
        one.is_right(context.submission.answers[key])
        for one, key in map(context.judged, cases)
    )


def _of_one_function(context: Context, known: KnownCase) -> list[KnownCase]:
    """All cases of the function that a case calls."""
    return [
        one for one in context.cases.known if one.case.call.name == known.case.call.name
    ]


def _returns_global(context: Context, known: KnownCase) -> Reason | None:
    """The same value comes back for different inputs, and the function reads it, or others, from outside."""
    submission, name = context.submission, known.case.call.name
    answers = [submission.answer(one) for one in _of_one_function(context, known)]
    value, *others = (answer.value if answer.is_usable else None for answer in answers)
    if not others or not all(_equal(value, other) for other in others):
        return None
    facts = submission.facts(name)
    outside = [one for one in facts.globals_read if one not in facts.sizes][
        :MOST_NAMES_READ
    ]
    if not outside:
        return None
    found = zip(
        outside, submission.calls([ValueRead(one) for one in outside]), strict=True
    )
    held = [one for one, answer in found if _equal(answer.value, value)]
    does = (
        f"returns `{held[0]}`"
        if held
        else "reads " + " and ".join(f"`{one}`" for one in outside)
    )
    says = f"`{name}` gives the same result whatever its arguments are: it {does} from outside the function."
    labels = ("returns-global" if held else "depends-on-global",)
    return Reason(labels, f"{says} Compute the result from the arguments.")


def _batch_only(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """It raises, and with one more axis in front of all its arguments, or of the first, it is right."""
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    errors = [context.submission.answer(one).error for one in (*failed, *cases)]
    if any(error is None or error.type not in ABOUT_AXES for error in errors):
        return None  # also where only other sizes raise: what expects a batch never takes a matrix
    for count in (None, 1):
        answers = context.submission.calls(
            [_as_batch(one.case.call, count) for one in cases]
        )
        first = [replace(one, value=_first_item(one.value)) for one in answers]
        by_id = {one.case.id: answer for one, answer in zip(cases, first, strict=True)}
        beside = context.diagnose(task, by_id, cases, pairs=False)
        are_right = all(one.is_right(by_id[one.case.id]) for one in cases)
        which = "arguments" if count is None else "first argument"
        if are_right or (beside.labels and all(one.is_usable for one in answers)):
            says = (
                f"Your code expects a batch: it needs one more axis at the front of its {which}. There is no "
                "such axis here: exchange rows and columns with `.T`, and lower by one each index and "
                "`axis=` that counts the axis of the batch. "
                f"{beside.says}"
            )
            return Reason(
                ("batch-only", *beside.labels), says.rstrip(), made=beside.made
            )
    return None


def _as_batch(call: Call, count: int | None) -> FunctionCall:
    """The call with an axis in front of its first arrays and tensors, or of all of them."""

    def batched(value: Any) -> Any:
        if isinstance(value, Tensor):
            return replace(value, array=value.array[None])
        return value[None] if isinstance(value, np.ndarray) else value

    args = cast(FunctionCall, call).args
    return FunctionCall(
        call.name, (*map(batched, args[:count]), *(args[count:] if count else ()))
    )


def _one_sequence_only(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """The function is wrong for a batch, and right for each of its sequences by itself.

    Many a program from the web is written for one matrix of tokens, or for its heads. The first axis of its
    arguments is then taken for the tokens or the heads.
    """
    task = failed[0].case.task
    cases = diagnostic_cases(context.cases.known, task)
    first = failed[0]
    answer = context.submission.answers.get(first.case.id)
    if answer is None or not cases:
        return None
    if of_one_shape(answer.value, first.expected) is not None:
        return None  # where the shape is right, the batch was seen

    calls: list[FunctionCall] = []
    batch_sizes = []
    for case in cases:
        sequences = _sequences(cast(FunctionCall, case.case.call), case.expected)
        calls += sequences
        batch_sizes.append(len(sequences))
    if not all(batch_sizes) or max(batch_sizes) < 2 or len(calls) > MOST_SEQUENCES:
        return None
    results = iter(context.submission.calls(calls))
    for case, count in zip(cases, batch_sizes, strict=True):
        for place in range(count):
            expected = cast(Array, as_entries(case.expected))[place]
            result = next(results)
            if not result.is_usable:
                return None
            if deviation(result.value, expected) > case.tolerance:
                return None
    says = (
        "Your code is written for one sequence: called with each sequence of the batch by itself, it is right. "
        "Here the first axis is the batch. Leave it in front, in `reshape` and `transpose` as well, and count "
        "the other axes from the end, as in `X.shape[-2:]` and `axis=-1`."
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


def _first_item(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_first_item(part) for part in value[:MOST_PARTS]]
    array = as_array(value, LARGEST_CASE)
    return array[0] if array is not None and array.ndim and len(array) == 1 else value


def _keeps_state(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Find a call that raises after others and has a value when nothing was called before it."""
    name = failed[0].case.call.name
    if name in context.submission.steady:
        return None
    for known in _of_one_function(context, failed[0]):
        error = context.submission.answer(known).error
        if error is None or error.type not in ABOUT_AXES:
            continue
        (alone,) = context.submission.calls([known.case.call])
        if not alone.is_usable:
            return None  # one such call says enough: most programs keep nothing
        says = (
            f"A call of `{name}` raises after other calls and has a result without them: it keeps something "
            "from one call to the next, such as a list outside the function that it appends to. Every call "
            "starts from its arguments."
        )
        return Reason(("differs-from-call-to-call",), says)
    return None


def _pairs_all_rows(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """The result has one axis more, and the right rows, or those of a known mistake, on its diagonal.

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

    is_right = all(case.is_right(diagonals[case.case.id]) for case in cases)
    mistake = NO_REASON
    if not is_right:
        mistake = context.diagnose(task, diagonals, cases, pairs=False)
        if not mistake.labels:
            return None
    says = (
        "Your result has one axis too many: every row meets every row, and only row i with row i is meant. Look "
        f"for an axis of length 1 that an index such as `[:, None]` puts between others. {mistake.says}"
    )
    return Reason((ALL_ROWS, *mistake.labels), says.rstrip(), made=mistake.made)


def _returns_argument(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """One and the same argument comes back in every case, alone or as the first part that is wrong."""
    returned = []
    for one in _of_one_function(context, failed[0]):
        answer, call = context.submission.answer(one), one.case.call
        args = call.args if isinstance(call, FunctionCall) and answer.is_usable else ()
        given = (answer.value, _first_wrong(one, answer.value)[0])
        returned.append(
            {
                i
                for i, one in enumerate(args)
                if any(_equal(value, one) for value in given)
            }
        )
    positions = set.intersection(*returned)
    if not positions:
        return None
    place, name = min(positions), failed[0].case.call.name
    parameters = context.submission.facts(name).parameters
    argument = (
        f"`{parameters[place]}`" if place < len(parameters) else f"number {place + 1}"
    )
    first = context.submission.answer(failed[0]).value
    part = _first_wrong_place(failed[0], first)
    names = context.homework.task(failed[0].case.task).returns
    title = (
        f" in place of the {names[part]}".replace("_", " ")
        if part is not None and part < len(names)
        else ""
    )
    says = f"Your argument {argument} comes back{title}, with the numbers it had."
    return Reason(("returns-argument",), f"{says} Return what is computed from it.")


def _rounds_result(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Every wrong answer of the function is the right one to so many decimals, and has no more of them."""
    every = dict(map(context.judged, _of_one_function(context, failed[0])))
    answers = {one: context.submission.answers[key] for one, key in every.items()}
    wrong = [
        _first_wrong(one, answer.value)
        for one, answer in answers.items()
        if not one.is_right(answer)
    ]
    arrays = [
        (as_array(part, LARGEST_CASE), as_array(right, LARGEST_CASE))
        for part, right in wrong
    ]
    if not arrays or not all(
        np.isfinite(deviation(got, wanted)) for got, wanted in arrays
    ):
        return None
    got, wanted = (
        np.concatenate([one.ravel() for one in side])
        for side in zip(*arrays, strict=True)
    )
    decimals = decimals_left(got, wanted)
    if decimals is None:
        return None
    places = f"or cut off after {decimals} decimal place{'s' if decimals > 1 else ''}."
    to_whole = "to whole numbers: is the array one of whole numbers?"
    says = (
        f"Your numbers are the right ones, rounded {places if decimals else to_whole}"
    )
    return Reason(("rounds-result",), f"{says} Return results as they are computed.")


def decimals_left(got: Array, wanted: Array) -> int | None:
    """To how many decimals numbers are the right ones, rounded or, from 2 on, cut off; None where not."""
    precision = float(np.finfo(got.dtype).eps) if got.dtype.kind == "f" else 0.0
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        numbers = got.astype(np.float64)
        missing = (wanted - numbers) * np.where(wanted < 0, -1, 1)
        for decimals in range(MOST_DECIMALS, -1, -1):
            scaled, lacks = numbers * 10.0**decimals, missing * 10.0**decimals
            blur = 4 * precision * max(1.0, float(np.abs(scaled).max()))
            is_rounded = np.abs(lacks).max() <= 0.5 + blur
            is_cut_off = (
                decimals > 1 and -blur <= lacks.min() and lacks.max() <= 1 + blur
            )
            is_no_shift = bool(
                np.any((lacks > 0.01) & (lacks < 0.99))
            )  # by one unit of the last decimal
            has_no_more = np.abs(scaled - np.round(scaled)).max() <= blur < 0.01
            if (
                has_no_more
                and got.any()
                and (is_rounded or (is_cut_off and is_no_shift))
            ):
                return decimals
    return None


def _breaks_down_at_large_scores(
    context: Context, failed: Sequence[KnownCase]
) -> Reason | None:
    """It is right at usual sizes, and where scores are large there are numbers no more."""
    usual = [
        one
        for one in _of_one_function(context, failed[0])
        if one.case.topic == "values"
    ]
    if any(
        one.case.topic != "large" or not breaks_down(context.submission.answer(one))
        for one in failed
    ):
        return None
    if not usual or not all(
        one.is_right(context.submission.answer(one)) for one in usual
    ):
        return None
    says = (
        "Your results are right for scores of usual size, but large ones lead to no finite numbers. Usually "
        "exponentials overflow, or all of a query's vanish: before the exponential, subtract from the scores "
        "of each query its own largest one; where keys are forbidden, the largest of the allowed ones."
    )
    return Reason(("softmax-unstable",), says)


def _is_nearly_right(context: Context, failed: Sequence[KnownCase]) -> Reason | None:
    """Every number of every wrong answer is close to the right one."""
    judged = dict(map(context.judged, failed))
    distances = [
        one.distance(context.submission.answers[key]) for one, key in judged.items()
    ]
    if not distances or max(distances) > NEARLY_RIGHT:
        return None
    says = (
        f"Your numbers are close to the right ones, within {NEARLY_RIGHT:.0%} of the largest. Look for "
        "rounding, or for a small number that is added: one against a division by 0 can change the result."
    )
    return Reason(("nearly-right",), says)


def _first_wrong(known: KnownCase, value: Any) -> tuple[Any, Any]:
    """The answer, or the first wrong part of a tuple of the right length, and what it should be."""
    if _has_parts(known, value):
        place = _first_wrong_place(known, value)
        return (None, None) if place is None else (value[place], known.expected[place])
    is_wrong = deviation(value, known.expected) > known.tolerance
    return (value, known.expected) if is_wrong else (None, None)


def _first_wrong_place(known: KnownCase, value: Any) -> int | None:
    """The index of the first wrong part of a tuple of the right length; None where there are no parts."""
    if not _has_parts(known, value):
        return None
    for place, pair in enumerate(zip(value, known.expected, strict=True)):
        if deviation(*pair) > known.tolerance:
            return place
    return None


def _has_parts(known: KnownCase, value: Any) -> bool:
    right = known.expected
    is_sequence = isinstance(right, tuple | list) and isinstance(value, tuple | list)
    return is_sequence and len(value) == len(right)


def _equal(one: Any, other: Any) -> bool:
    """Whether two values, of which a submission may have made both, hold the same numbers in one shape."""
    left, right = as_array(one, LARGEST_CASE), as_array(other, LARGEST_CASE)
    if left is not None and right is not None:
        return bool(np.array_equal(left, right))
    are_tuples = isinstance(one, tuple | list) and isinstance(other, tuple | list)
    return (
        are_tuples
        and 0 < len(one) == len(other) <= MOST_PARTS
        and all(map(_equal, one, other))
    )
