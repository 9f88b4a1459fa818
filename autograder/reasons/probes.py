"""Call a wrong function again: equal calls may differ, or another argument may set the result right.

A function that is right as soon as one argument is negated, halved or reversed is wrong where that argument
comes in. Each change is tried on a small case, and reported only if it sets all of them right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from autograder.course.calls import FunctionCall, ReboundCall
from autograder.course.homework import CourseError
from autograder.language import say
from autograder.reasons.agreement import breaks_down, same_answer
from autograder.reasons.context import Context, Look, first_reason
from autograder.reasons.outside import sizes_of
from autograder.reasons.sites import with_exchanged
from autograder.reasons.transforms import OF_ARGUMENT
from autograder.reasons.wrong import ArrayChange, Tells, labelled
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    as_array,
    as_entries,
    deviation,
    holds_more,
    of_one_shape,
    split,
)
from autograder.verdict.failure import Reason
from autograder.verdict.fixtures import Ask
from autograder.verdict.interface import parts_of
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import Array, Tensor

MOST_TRIES = 300
LEAST_NUMBERS = 8
"""Expected numbers in all cases, at least: fewer may become right by chance."""
LEAST_DIFFERENCE = 1e-6
DIFFERS = "differs-from-call-to-call"
CALLS_DIFFER = (
    "Two calls with the same arguments give different results: look for random numbers, "
    "such as those of a dropout, for values that one call leaves behind for the next, and "
    "for memory that is never filled, as `np.empty` returns it, or `np.exp(x, where=mask)` "
    "without `out`."
)
TYPE_OF_ARGUMENT = (
    "Your results are wrong where {name} holds whole numbers, and right for the same numbers as floats: does an "
    "array that you fill take its type from {name}, as with `zeros_like` or `dtype=…`? Such an array cuts off the "
    "decimals of all that is written into it: `np.zeros(shape)` keeps them."
)
MOST_ITEMS = 400
"""Nested lists with more numbers than that are not compared one with another."""
MOST_REPEATED = 8
"""Of larger batches it is not tried whether one item stands for all."""
SLOW = 0.2
"""A function that needs more seconds than this for one call is not tried with other arguments."""

Sizes = Mapping[str, int]
ArgumentChange = Callable[[list[Any], Sizes], list[Any]]
"""Makes other arguments from those of a call and from their sizes.

It may raise ValueError, IndexError or KeyError where it does not fit them.
"""
Candidate = tuple[str, int]
"""A part of an argument, as in ``PARTS``, and the argument's index."""
Answered = Sequence[Answer | None]
"""Answers of one case to several changes; None where a change does not fit, or nothing came back."""

PARTS = {
    "": np.s_[:],
    "all but the first {0} of ": np.s_[1:],
    "all but the last {0} of ": np.s_[:-1],
    "the last {0} of ": np.s_[-1:],
    "the first {0} of ": np.s_[:1],
}
"""Parts of an argument that a function may leave out, {0} being an item, a row or an entry."""


SCALED = "argument-scaled"
MOST_OTHERS = 8
"""So many wrong cases of other topics are looked at, the smallest."""


@dataclass(frozen=True)
class ArgumentRepair:
    """A change of the arguments that may set the result right.

    Attributes:
        label: the mistake that it undoes.
        condition: the change in words: the result would be right if …
        change: makes the other arguments.
    """

    label: str
    condition: str
    change: ArgumentChange


def probe(context: Context, wrong: KnownCases, probes: Sequence[Look]) -> Reason | None:
    """Return the reason of the first probe that has one.

    Args:
        context: the submission.
        wrong: the wrong cases of one function; the probes get the small ones first.
        probes: what to look for.
    """
    for known in wrong:
        answer = context.answer(known)
        if answer.seconds > SLOW or not isinstance(known.case.call, FunctionCall):
            return None

    def size(known: KnownCase) -> int:
        return sum(sizes_of(known.case.call, ()).values())

    return first_reason(probes, context, sorted(wrong, key=size))


def calls_differ(context: Context, wrong: KnownCases) -> Reason | None:
    """Find two calls with the same arguments that give different results, perhaps with other random numbers."""
    call = wrong[0].case.call
    steady_functions = context.submission.steady
    if call.name in steady_functions:
        return None
    equal_call = ReboundCall(call, {}, seed=0)
    other_seed = ReboundCall(call, {}, seed=1)
    answers = context.submission.calls([equal_call, equal_call, other_seed])
    if not all(map(_is_small, answers)):
        return None  # a call that ran out of time is no other result
    first, *others = answers
    if not same_answer(first, first, LEAST_DIFFERENCE):
        return None  # a text, say, of which it is not known what is equal
    if all(same_answer(first, other, LEAST_DIFFERENCE) for other in others):
        steady_functions.add(call.name)
        return None
    return labelled(DIFFERS, say(CALLS_DIFFER), tells=Tells.CHANCE)


# Arguments that change no result


def unused_argument(
    context: Context,
    wrong: KnownCases,
    *,
    all_cases_wrong: bool = True,
    rows_alike: Reason | None = None,
) -> Reason | None:
    """Find the arguments, or rows of one, whose numbers change no result although they should.

    The reference solution is asked with the same changes: what changes none of its results, as a bias of keys
    before the softmax, is no fault of the submission. Without it, as on students' machines, nothing is said.

    Args:
        context: the submission, and the reference solution.
        wrong: the wrong cases of one function.
        all_cases_wrong: no other case is right; in a right one the result does depend on its arguments.
        rows_alike: the reason where all rows of the result are the same: then most rows of an argument cannot
            show, and the reason is reported instead.
    """
    if context.ask_reference is None:
        return None
    if not all(_has_all_parts(context, known) for known in wrong):
        return None
    arguments = context.arguments(wrong[0])
    names = list(arguments)
    values = list(arguments.values())
    candidates = []
    for part in PARTS:
        for index, value in enumerate(values):
            if _can_be_changed(value, is_part=bool(part)):
                candidates.append((part, index))

    # Most programs need one run: every argument changes something in the smallest case.
    one_run = (wrong[:1], OTHER_NUMBERS[:1])
    all_runs = (wrong, OTHER_NUMBERS)
    for cases, changes in (one_run, all_runs):
        if not candidates:
            return None
        rows = _answers(context, cases, _changes_of(candidates, changes))
        for before, *_ in rows:
            if before is None or breaks_down(before):
                return None
        unchanging = []
        for number, candidate in enumerate(candidates):
            if all(_is_unchanged(row, number, len(changes)) for row in rows):
                unchanging.append(candidate)
        candidates = unchanging
    candidates = _that_should_matter(context, wrong, candidates)
    if not candidates:
        return None

    # Name all arguments of which the same part is unused.
    part, first = candidates[0]
    if part and rows_alike is not None:
        return rows_alike
    unused = []
    for other_part, index in candidates:
        if other_part == part:
            unused.append(index)
    axis_counts = [np.ndim(as_array(values[index])) for index in unused]  # type: ignore[arg-type]
    *first_names, last_name = (names[index] for index in unused)
    listed = last_name
    if first_names:
        listed = say(
            "{first_names} or {last_name}",
            first_names=", ".join(first_names),
            last_name=last_name,
        )
    result = say("Your result")
    if not all_cases_wrong:
        result = say("Where it is wrong, your result")
    if not any(axis_counts):
        says = say(
            "{result} stays the same whatever {listed} is, though it should "
            "change: where does it come in?",
            result=result,
            listed=listed,
        )
        return labelled("argument-unused", says, tells=Tells.LITTLE)
    look = say(
        "are they left out, overwritten, cancelled, or others used in their place?"
    )
    if len(unused) == 1:
        look = say(
            "is it left out, overwritten, cancelled, or another array used in its place?"
        )
    if part:
        look = say("do loops and slices cover all of it?")
        row_name = "row"
        if isinstance(values[first], list | tuple):
            row_name = "item"
        elif axis_counts[0] == 1:
            row_name = "entry"
        part = say(part.format(row_name).strip()) + " "
    says = say(
        "{result} stays the same whatever numbers are in {part}{listed}, "
        "though it should change: {look}",
        result=result,
        part=part,
        listed=listed,
        look=look,
    )
    return labelled("argument-unused", says, tells=Tells.LITTLE)


def _has_all_parts(context: Context, known: KnownCase) -> bool:
    """Return whether each required part came back; a missing part depends on nothing."""
    value = context.answer(known).value
    if not isinstance(known.expected, tuple):
        return value is not None
    parts = split(value, known.expected)
    return parts is not None and all(part is not None for part in parts)


def _can_be_changed(value: Any, *, is_part: bool) -> bool:
    """Return whether an argument holds numbers that can be changed.

    Args:
        value: the argument.
        is_part: only some of its rows are to be changed. Biases, which have an axis of length 1, do not count.
    """
    array = as_array(value)
    if array is None or not array.size:
        return False
    if array.ndim == 0:
        return not is_part
    return isinstance(value, list | tuple) or array.shape[-1] > 1


def _changes_of(
    candidates: Sequence[Candidate], changes: Sequence[Callable[[slice, Array], Array]]
) -> list[ArgumentChange]:
    """Return no change, and then all changes of the first candidate, of the second one, and so on."""
    argument_changes: list[ArgumentChange] = [_unchanged]
    for part, index in candidates:
        for change in changes:
            change_part = partial(change, PARTS[part])
            argument_changes.append(partial(_with_changed, index, change_part))
    return argument_changes


def _after_changes(row: Answered, number: int, count: int, start: int = 1) -> Answered:
    """Return the answers after the changes of one candidate, of which each has so many."""
    start += number * count
    return row[start : start + count]


def _is_unchanged(row: Answered, number: int, count: int) -> bool:
    """Return whether no change of one candidate changes the answer to a case."""
    after = _after_changes(row, number, count)
    return all(_are_same(row[0], answer, 0) is True for answer in after)


def _is_changed(row: Answered, number: int, count: int, tolerance: float) -> bool:
    """Return whether each change of one candidate changes the answer to a case."""
    after = _after_changes(row, number, count)
    return all(_are_same(row[0], answer, tolerance) is False for answer in after)


def _are_same(
    before: Answer | None, after: Answer | None, tolerance: float
) -> bool | None:
    """Return whether two answers are equal; None where one is missing."""
    if before is None or after is None:
        return None
    return same_answer(before, after, tolerance)


def _that_should_matter(
    context: Context, wrong: KnownCases, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Keep the arguments, or rows of one, whose every change changes the right result of some case."""
    if not candidates:
        return []
    changes = _changes_of(candidates, OTHER_NUMBERS)
    try:
        rows = _answers(context, wrong, changes, context.ask_reference)
    except CourseError:
        # Numbers that no case has may bring the reference solution down: then nothing is proved.
        return []
    count = len(OTHER_NUMBERS)
    mattering = []
    for number, candidate in enumerate(candidates):
        for known, row in zip(wrong, rows, strict=True):
            if _is_changed(row, number, count, known.tolerance):
                mattering.append(candidate)
                break
    return mattering


# The first item of an argument, taken for all


def first_item_for_all(context: Context, wrong: KnownCases) -> Reason | None:
    """Find an argument of which the first item along the first axis is taken for all items of the result.

    With the first item in all places no answer changes; with another one, the result's item there is right.

    Args:
        context: the submission.
        wrong: the wrong cases of one function.
    """
    cases = []
    for known in wrong:
        if known.size <= MOST_ITEMS:
            cases.append(known)
    if not cases:
        return None
    names = list(context.arguments(cases[0]))
    indices = []
    for index in range(len(names)):
        if all(_axes_of_items(known, index) for known in cases):
            indices.append(index)

    # Most programs need one run, of the smallest case.
    for some_cases in (cases[:1], cases[1:]):
        if not indices:
            return None
        changes = []
        for index, item in itertools.product(indices, range(MOST_REPEATED)):
            changes.append(partial(_with_item_everywhere, index, item))
        rows = _answers(context, some_cases, changes)
        shown = []
        for number, index in enumerate(indices):
            is_shown = True
            for known, row in zip(some_cases, rows, strict=True):
                repeated = _after_changes(row, number, MOST_REPEATED, start=0)
                if not _shows_first_item(context, known, index, repeated):
                    is_shown = False
            if is_shown:
                shown.append(index)
        indices = shown
    if not indices:
        return None
    says = say(
        "Your code takes the first item of {name} for all: with the first one in every "
        "place nothing changes, and each item of the result is right where its own item of "
        "{name} is in every place. Look for an index such as `[0]`.",
        name=names[indices[0]],
    )
    return labelled("first-item-for-all", says)


def _axes_of_items(known: KnownCase, index: int) -> list[int]:
    """Return the axes of the result along which each place may have its own item of an argument.

    That is the first axis, as in a batch, or the one that the argument's first axis is broadcast to, counted from
    the end, as the heads of a mask of three axes.
    """
    arguments = known.arguments
    array = array_of(arguments[index]) if index < len(arguments) else None
    if array is None or array.ndim < 1 or not 2 <= len(array) <= MOST_REPEATED:
        return []
    shapes = []
    for part in parts_of(known.expected):
        expected = as_entries(part)
        if expected is None or expected.ndim < 2:
            return []
        shapes.append(expected.shape)
    axes = []
    for axis in {0, len(shapes[0]) - array.ndim}:
        if axis >= 0 and all(
            shape[axis : axis + 1] == (len(array),) for shape in shapes
        ):
            axes.append(axis)
    return axes


def _shows_first_item(
    context: Context, known: KnownCase, index: int, repeated: Answered
) -> bool:
    """Return whether only the first item of an argument shows in the answer to a case.

    Args:
        context: the submission.
        known: the case.
        index: the argument's index.
        repeated: the answers with each item of it in all places.
    """
    if not _are_same(context.answer(known), repeated[0], known.tolerance):
        return False
    array = array_of(known.arguments[index])
    items = repeated[: 0 if array is None else len(array)]
    axes = _axes_of_items(known, index)
    return any(_are_items_right(known, items, axis) for axis in axes)


def _are_items_right(known: KnownCase, repeated: Answered, axis: int) -> bool:
    """Return whether each answer is right in its own item along an axis, in all of its parts."""
    expected_parts = parts_of(known.expected)
    for item, answer in enumerate(repeated):
        if answer is None:
            return False
        parts: Sequence[Any] | None = [answer.value]
        if isinstance(known.expected, tuple):
            parts = split(answer.value, expected_parts)
        if parts is None:
            return False
        for part, expected_part in zip(parts, expected_parts, strict=True):
            pair = of_one_shape(part, expected_part)
            if pair is None:
                return False
            array, expected = pair
            own_item = array.take(item, axis)
            if deviation(own_item, expected.take(item, axis)) > known.tolerance:
                return False
    return True


def _with_item_everywhere(
    index: int, item: int, args: list[Any], sizes: Sizes
) -> list[Any]:
    """Put one item of an array in the place of all its items."""
    array = array_of(args[index])
    if array is None or item >= len(array):
        raise ValueError("no such item")
    repeated = np.repeat(array[item : item + 1], len(array), axis=0)
    repeated_value = with_array(args[index], repeated)
    return with_argument(args, index, repeated_value)


def array_of(value: Any) -> Array | None:
    """Return the array of an argument that is an array or a tensor; None for any other."""
    if isinstance(value, Tensor):
        return value.array
    return value if isinstance(value, np.ndarray) else None


def with_argument(args: Sequence[Any], index: int, value: Any) -> list[Any]:
    """Return arguments of which one is another value."""
    return [*args[:index], value, *args[index + 1 :]]


def with_array(value: Any, array: Array) -> Any:
    """Return an argument that holds another array: a tensor for a tensor."""
    return replace(value, array=array) if isinstance(value, Tensor) else array


# Arguments with which the result becomes right


def right_with_decimals(context: Context, wrong: KnownCases) -> Reason | None:
    """Find an array of whole numbers with whose numbers as floats all cases are right."""
    if sum(known.size for known in wrong) < LEAST_NUMBERS:
        return None
    arguments_of_cases = list(map(context.arguments, wrong))
    for index, name in enumerate(arguments_of_cases[0]):
        arguments = [arguments.get(name) for arguments in arguments_of_cases]
        if not all(map(_holds_whole_numbers, arguments)):
            continue
        rows = _answers(context, wrong, [partial(_with_floats, index)])
        if all(map(_is_right, wrong, [row[0] for row in rows])):
            says = say(TYPE_OF_ARGUMENT, name=name)
            return labelled("whole-numbers-kept", says)
    return None


def _holds_whole_numbers(argument: Any) -> bool:
    if isinstance(argument, list) and argument:
        return all(map(_holds_whole_numbers, argument))
    return isinstance(argument, np.ndarray) and argument.dtype.kind in "iu"


def _with_floats(index: int, args: list[Any], sizes: Sizes) -> list[Any]:
    return with_argument(args, index, _as_floats(args[index]))


def _as_floats(argument: Any) -> Any:
    """Return an array of whole numbers as floats, or a list of such arrays or lists."""
    if isinstance(argument, list):
        return list(map(_as_floats, argument))
    return argument.astype(np.float64)


def right_with_other_arguments(context: Context, wrong: KnownCases) -> Reason | None:
    """Find one argument that, negated, scaled or reversed, sets all cases right, or two exchanged ones."""
    if sum(known.size for known in wrong) < LEAST_NUMBERS:
        return None
    sizes_of_cases = list(map(context.sizes, wrong))
    # Of sizes that are equal in every case, the first one is tried.
    different_sizes = {}
    for name in reversed(sizes_of_cases[0]):
        size_in_each_case = tuple(sizes.get(name) for sizes in sizes_of_cases)
        different_sizes[size_in_each_case] = name

    possible = _repairs(context.arguments(wrong[0]), list(different_sizes.values()))
    repairs = list(itertools.islice(possible, MOST_TRIES))
    for cases in (wrong[:1], wrong[1:]):
        rows = _answers(context, cases, [repair.change for repair in repairs])
        repairs_of_all = []
        for number, repair in enumerate(repairs):
            answers = [row[number] for row in rows]
            if all(map(_is_right, cases, answers)):
                repairs_of_all.append(repair)
        repairs = repairs_of_all
    for repair in repairs:
        if _is_no_chance(context, wrong, repair):
            says = say(
                "Your result would be right if {condition}", condition=repair.condition
            )
            return labelled(repair.label, says)
    return None


def _is_right(known: KnownCase, answer: Answer | None) -> bool:
    return answer is not None and known.is_right(answer)


def _is_no_chance(context: Context, wrong: KnownCases, repair: ArgumentRepair) -> bool:
    """Return whether a scaling by a size sets right the function's wrong cases of other topics as well.

    There are so many sizes, and quotients of sizes, that one may fit the few cases of one topic by chance.
    """
    if repair.label != SCALED:
        return True
    others = []
    for known in context.cases_like(wrong[0]):
        answer = context.answer(known)
        if known in wrong or known.gradients is not None or not _is_small(answer):
            continue
        if not known.is_right(answer):
            others.append(known)
    others.sort(key=lambda known: known.size)
    others = others[:MOST_OTHERS]
    rows = _answers(context, others, [repair.change])
    return all(map(_is_right, others, [row[0] for row in rows]))


def _repairs(
    arguments: Mapping[str, Any], sizes: Sequence[str]
) -> Iterator[ArgumentRepair]:
    """Yield changes of the arguments that may set a result right.

    Args:
        arguments: the arguments of a call by name.
        sizes: names of the sizes by whose roots an argument may be scaled.
    """
    names = {}
    for index, (name, value) in enumerate(arguments.items()):
        if isinstance(value, np.ndarray | Tensor | list):
            names[index] = name

    for row in OF_ARGUMENT:
        for index, name in names.items():
            yield ArgumentRepair(
                row.label,
                say("{name} were passed {way}", name=name, way=say(row.says)),
                partial(_with_changed, index, row.change),
            )
    for (index, name), (other, other_name) in itertools.combinations(names.items(), 2):
        shape = np.shape(as_array(arguments[name]))  # type: ignore[arg-type]
        other_shape = np.shape(as_array(arguments[other_name]))  # type: ignore[arg-type]
        if shape == other_shape:
            yield ArgumentRepair(
                "arguments-exchanged",
                say(
                    "{name} and {other_name} were exchanged",
                    name=name,
                    other_name=other_name,
                ),
                partial(_exchanged, index, other),
            )
    for size, power in itertools.product(sizes, (-0.5, 0.5)):
        action = say("divided") if power < 0 else say("multiplied")
        for index, name in names.items():
            yield ArgumentRepair(
                SCALED,
                say(
                    "{name} were {action} by the root of {size}: look for a scaling "
                    "that is missing there, or is done twice",
                    name=name,
                    action=action,
                    size=size,
                ),
                partial(_scaled, index, size, power),
            )


# Calls with other arguments


def _answers(
    context: Context,
    cases: KnownCases,
    changes: Sequence[ArgumentChange],
    reference: Ask | None = None,
) -> list[list[Answer | None]]:
    """Return for each case its answers with other arguments, all from one run.

    Args:
        context: the submission.
        cases: the cases whose arguments are changed.
        changes: the changes, each tried with every case.
        reference: asks the reference solution instead of the submission.

    Returns:
        A row for each case, with an answer for each change; None where the arguments do not fit, or nothing
        is returned.
    """
    calls = {}
    for row, known in enumerate(cases):
        arguments = list(context.arguments(known).values())
        sizes = context.sizes(known)
        for column, change in enumerate(changes):
            with suppress(ValueError, IndexError, KeyError):
                args = tuple(change(list(arguments), sizes))
                calls[row, column] = FunctionCall(known.case.call.name, args)

    rows: list[list[Answer | None]] = [[None] * len(changes) for _ in cases]
    if not calls:
        return rows
    ask = reference or context.submission.calls
    answers = ask(list(calls.values()))
    for (row, column), answer in zip(calls, answers, strict=True):
        if _is_small(answer) and reference is None:
            answer = context.submission.answers.restored(cases[row], answer)
        if _is_small(answer):
            rows[row][column] = answer
    return rows


def _is_small(answer: Answer) -> bool:
    return answer.is_usable and not holds_more(answer.value, MOST_ITEMS)


def _unchanged(args: list[Any], sizes: Sizes) -> list[Any]:
    return args


def _with_changed(
    index: int, change: ArrayChange, args: list[Any], sizes: Sizes
) -> list[Any]:
    return with_changed(index, change, args)


def with_changed(index: int, change: ArrayChange, args: list[Any]) -> list[Any]:
    """Change one argument: an array, a tensor, a list of arrays or a whole number."""
    value = args[index]
    array = as_array(value)
    if array is None:
        raise ValueError("not an argument of numbers")
    changed_array = np.ascontiguousarray(change(array))
    changed: Any = changed_array
    if isinstance(value, Tensor):
        changed = with_array(value, changed_array.astype(array.dtype))
    elif isinstance(value, list | tuple):
        changed = list(changed_array)
    elif not isinstance(value, np.ndarray):
        changed = int(changed_array.item())
    return with_argument(args, index, changed)


def _scaled(
    index: int, size: str, power: float, args: list[Any], sizes: Sizes
) -> list[Any]:
    """Multiply one argument by a power of a size."""
    factor = float(sizes[size]) ** power
    return with_changed(index, lambda array: array * factor, args)


def _exchanged(index: int, other: int, args: list[Any], sizes: Sizes) -> list[Any]:
    """Exchange two arguments."""
    return with_exchanged(args, index, other)


def _raised(part: slice, array: Array) -> Array:
    """Return larger numbers in some rows of an array; a bare number is raised by one."""
    if array.ndim == 0:
        return array + 1
    return _with_waves(
        part, array, lambda rows, number: rows * 1.7 + np.sin(1 + number)
    )


def _turned(part: slice, array: Array) -> Array:
    """Return numbers of mostly another sign in some rows of an array; a bare number becomes far larger."""
    if array.ndim == 0:
        return array * 7 + 2
    return _with_waves(
        part, array, lambda rows, number: np.cos(3 * number) - 0.6 * rows
    )


def _with_waves(
    part: slice, array: Array, change: Callable[[Array, Array], Array]
) -> Array:
    """Change some rows of an array, by their numbers and by the place of each number."""
    changed = array.astype(np.result_type(array.dtype, np.float32))
    rows = changed[part]
    changed[part] = change(rows, np.arange(rows.size).reshape(rows.shape))
    return changed


OTHER_NUMBERS = (_raised, _turned)
"""Two changes: a program that compares an argument with a limit may not notice a single one."""
