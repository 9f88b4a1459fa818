"""What further calls of a wrong function prove: that equal ones differ, or with which argument it goes wrong.

A function that is right as soon as one argument is negated, halved or reversed is wrong where that argument
comes in. Each change is tried on a small case, and told only where it sets all of them right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autograder.course.cases import FunctionCall, ReboundCall
from autograder.course.homework import CourseError
from autograder.reasons.agreement import breaks_down, numbers_in, same_answer
from autograder.reasons.context import Context
from autograder.reasons.outside import named_arguments, positive_sizes, sizes_of
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array, holds_more, split
from autograder.verdict.failure import Reason
from autograder.verdict.fixtures import Ask
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array, Tensor

MOST_TRIES, LEAST_NUMBERS, LEAST_DIFFERENCE = 300, 8, 1e-6
MOST_ITEMS = 400
"""Nested lists with more numbers than that are not compared one with another."""
SLOW = 0.2
"""A function that needs more seconds than this for one call is not tried with other arguments."""
Look = Callable[[Context, Sequence[KnownCase]], "Reason | None"]
Sizes = Mapping[str, int]
Change = Callable[[list[Any], Sizes], list[Any]]
"""Makes other arguments from a call's own and from their sizes."""

CHANGES: Sequence[tuple[str, str, Callable[[Array], Array]]] = (
    ("argument-negated", "with the other sign: look for a minus", np.negative),
    ("argument-twice", "halved: is it used twice", lambda a: a / 2),
    ("argument-halved", "doubled: is it halved somewhere", lambda a: a * 2),
    (
        "argument-reversed",
        "in reverse order: look for `[::-1]` or `flip`",
        lambda a: a[::-1],
    ),
    (
        "argument-reversed",
        "with its columns reversed: look for `flip`",
        lambda a: a[:, ::-1],
    ),
    (
        "argument-shifted",
        "shifted by one place: look at the indices",
        lambda a: np.roll(a, -1, 0),
    ),
    (
        "reshaped",
        "in the order of `.T`: a `reshape` does not transpose",
        lambda a: a.T.reshape(a.shape),
    ),
    (
        "argument-transposed",
        "transposed: look for a `.T` too many or missing",
        lambda a: a.T,
    ),
)
PARTS = {
    "": np.s_[:],
    "all but the first {0} of ": np.s_[1:],
    "all but the last {0} of ": np.s_[:-1],
    "the last {0} of ": np.s_[-1:],
    "the first {0} of ": np.s_[:1],
}


def probe(
    context: Context, wrong: Sequence[KnownCase], looks: Sequence[Look]
) -> Reason | None:
    """Return what the first look finds at the function whose wrong cases these are; small ones come first."""
    seconds = max(context.submission.answers[one.case.id].seconds for one in wrong)
    if seconds > SLOW or not all(
        isinstance(one.case.call, FunctionCall) for one in wrong
    ):
        return None
    ordered = sorted(wrong, key=lambda one: sum(sizes_of(one.case.call, ()).values()))
    return next(filter(None, (look(context, ordered) for look in looks)), None)


def differs(context: Context, wrong: Sequence[KnownCase]) -> Reason | None:
    """Two calls with the same arguments give different results, perhaps with other random numbers."""
    call, steady = wrong[0].case.call, context.submission.steady
    if call.name in steady:
        return None
    first, *others = context.submission.calls(
        [ReboundCall(call, {}, seed) for seed in (0, 0, 1)]
    )
    if not all(
        map(_is_small, (first, *others))
    ):  # a call that ran out of time is no other result
        return None
    if not same_answer(
        first, first, LEAST_DIFFERENCE
    ):  # a text, say, of which it is not known what is equal
        return None
    if all(same_answer(first, one, LEAST_DIFFERENCE) for one in others):
        steady.add(call.name)
        return None
    look = "look for random numbers, as of a dropout, and for values that one call leaves behind for the next"
    says = f"Two calls with the same arguments give different results: {look}."
    return Reason(("differs-from-call-to-call",), says)


def unused(
    context: Context, wrong: Sequence[KnownCase], *, are_all: bool = True
) -> Reason | None:
    """Find the arguments, or rows of one, whose numbers change no result although they should.

    The reference solution is asked with the same changes: what changes none of its results, as a bias of keys
    before the softmax, is no fault of the submission. Without it, as on students' machines, nothing is said.
    ``are_all`` says that no other case is right: for such a one the result does depend on its arguments.
    """
    if context.ask_reference is None or not all(
        _has_all_parts(context, known) for known in wrong
    ):
        return None
    named, _ = _named(context, wrong[0])
    names, values = list(named), list(named.values())
    candidates = []
    for part in PARTS:
        for place, value in enumerate(values):
            if _counts(value, is_part=bool(part)):
                candidates.append((part, place))

    # Most programs need one run: every argument changes something in the smallest case.
    for cases, changes in ((wrong[:1], OTHER_NUMBERS[:1]), (wrong, OTHER_NUMBERS)):
        if not candidates:
            return None
        tries = [
            partial(_with_one, place, partial(change, PARTS[part]))
            for part, place in candidates
            for change in changes
        ]
        rows = _answers(context, cases, [_unchanged, *tries])
        if any(before is None or breaks_down(before) for before, *_ in rows):
            return None
        by_candidate = [_in_groups(row, len(changes)) for row in rows]
        candidates = [
            candidate
            for at, candidate in enumerate(candidates)
            if all(
                _same(row[0], after)
                for row, groups in zip(rows, by_candidate, strict=True)
                for after in groups[at]
            )
        ]
    candidates = _that_should_matter(context, wrong, candidates)
    if not candidates:
        return None

    part = candidates[0][0]
    places = [place for one, place in candidates if one == part]
    listed = " or ".join(
        filter(
            None, (", ".join(names[place] for place in places[:-1]), names[places[-1]])
        )
    )
    axes = [np.ndim(as_array(values[place])) for place in places]  # type: ignore[arg-type]
    first = values[places[0]]
    result = "Your result" if are_all else "Where it is wrong, your result"
    if not any(axes):
        says = f"{result} stays the same whatever {listed} is, though it should change"
        return Reason(("argument-unused",), f"{says}: where does it come in?")
    word = (
        "item"
        if isinstance(first, list | tuple)
        else ("entry" if axes[0] == 1 else "row")
    )
    if part:
        look = "do loops and slices cover all of it?"
    elif len(places) == 1:
        look = "is it left out, overwritten, cancelled, or another array used in its place?"
    else:
        look = (
            "are they left out, overwritten, cancelled, or others used in their place?"
        )
    where = f"{part.format(word)}{listed}"
    says = f"{result} stays the same whatever numbers stand in {where}, though it should change: {look}"
    return Reason(("argument-unused",), says)


def _has_all_parts(context: Context, known: KnownCase) -> bool:
    """Whether something came back for each part that is asked; what is missing depends on nothing."""
    value, expected = context.submission.answers[known.case.id].value, known.expected
    if not isinstance(expected, tuple):
        return value is not None
    parts = split(value, expected)
    return parts is not None and all(part is not None for part in parts)


def _that_should_matter(
    context: Context, wrong: Sequence[KnownCase], candidates: Sequence[tuple[str, int]]
) -> list[tuple[str, int]]:
    """Keep the arguments, or rows of one, whose every change changes the right result of some case."""
    tries = [
        partial(_with_one, place, partial(change, PARTS[part]))
        for part, place in candidates
        for change in OTHER_NUMBERS
    ]
    try:
        rows = (
            _answers(context, wrong, [_unchanged, *tries], context.ask_reference)
            if tries
            else []
        )
    except CourseError:  # numbers that no case has may bring the reference solution down: then nothing is proved
        return []
    mattering = []
    for at, candidate in enumerate(candidates):
        for known, (before, *changed) in zip(wrong, rows, strict=True):
            after = _in_groups([before, *changed], len(OTHER_NUMBERS))[at]
            if all(_are_different(before, one, known.tolerance) for one in after):
                mattering.append(candidate)
                break
    return mattering


def _in_groups(
    row: Sequence[Answer | None], size: int
) -> list[Sequence[Answer | None]]:
    """Split the answers after the first one into groups of one size."""
    return [row[start : start + size] for start in range(1, len(row), size)]


def _are_different(
    before: Answer | None, after: Answer | None, tolerance: float
) -> bool:
    """Whether both are values, and not the same."""
    return (
        before is not None
        and after is not None
        and not same_answer(before, after, tolerance)
    )


def set_right(context: Context, wrong: Sequence[KnownCase]) -> Reason | None:
    """One argument with which, negated, scaled or reversed, or two with which, exchanged, all is right."""
    if sum(numbers_in(one.expected) for one in wrong) < LEAST_NUMBERS:
        return None
    named, sizes = zip(*(_named(context, one) for one in wrong), strict=True)
    different = {
        tuple(own.get(name) for own in sizes): name for name in reversed(sizes[0])
    }
    tries = list(
        itertools.islice(_tries(named[0], list(different.values())), MOST_TRIES)
    )
    for cases in (wrong[:1], wrong[1:]):
        rows = _answers(context, cases, [change for _, _, change in tries])
        came = list(zip(cases, rows, strict=True))
        tries = [
            one
            for at, one in enumerate(tries)
            if all(
                (got := row[at]) is not None and known.is_right(got)
                for known, row in came
            )
        ]
    if not tries:
        return None
    label, how, _ = tries[0]
    return Reason(
        (label,), f"Your result would be right if {how}{'?' if ': is ' in how else '.'}"
    )


def _named(context: Context, known: KnownCase) -> tuple[dict[str, Any], Sizes]:
    """The arguments of a case, and their sizes, by what they are called in the student's code."""
    call = known.case.call
    parameters = context.submission.facts(call.name).parameters
    return named_arguments(call, parameters), positive_sizes(call, parameters)


def _tries(
    named: Mapping[str, Any], sizes: Sequence[str]
) -> Iterator[tuple[str, str, Change]]:
    """Yield a label, what would set the result right, and how it is tried."""
    arrays = {
        i: name
        for i, name in enumerate(named)
        if isinstance(named[name], np.ndarray | Tensor | list)
    }
    for (label, how, change), (i, name) in itertools.product(CHANGES, arrays.items()):
        yield label, f"{name} came {how}", partial(_with_one, i, change)
    for (i, one), (j, other) in itertools.combinations(arrays.items(), 2):
        if np.shape(as_array(named[one])) == np.shape(as_array(named[other])):  # type: ignore[arg-type]
            yield (
                "arguments-exchanged",
                f"{one} and {other} changed places",
                partial(_exchanged, i, j),
            )
    for size, power, (i, name) in itertools.product(sizes, (-0.5, 0.5), arrays.items()):
        by = f"{'divided' if power < 0 else 'multiplied'} by the root of {size}"
        says = f"{name} came {by}: look for a scaling that is missing there, or is one too many"
        yield "argument-scaled", says, partial(_scaled, i, size, power)


def _unchanged(args: list[Any], sizes: Sizes) -> list[Any]:
    return args


def _answers(
    context: Context,
    cases: Sequence[KnownCase],
    changes: Sequence[Change],
    reference: Ask | None = None,
) -> list[list[Answer | None]]:
    """For each case its answers with other arguments, all from one run, of the submission or the reference.

    None stands where the arguments do not fit, or nothing is returned.
    """
    calls: dict[tuple[int, int], FunctionCall] = {}
    for row, known in enumerate(cases):
        named, sizes = _named(context, known)
        for at, change in enumerate(changes):
            with suppress(ValueError, IndexError, KeyError):
                args = tuple(change(list(named.values()), sizes))
                calls[row, at] = FunctionCall(known.case.call.name, args)
    ask = reference or context.submission.calls
    came = ask([*calls.values()]) if calls else ()
    found: list[list[Answer | None]] = [[None] * len(changes) for _ in cases]
    for (row, at), one in zip(calls, came, strict=True):
        if _is_small(one) and reference is None:
            one = context.submission.answers.restored(cases[row], one)
        found[row][at] = one if _is_small(one) else None
    return found


def _same(before: Answer | None, after: Answer | None) -> bool:
    return before is not None and after is not None and same_answer(before, after, 0)


def _is_small(answer: Answer) -> bool:
    return answer.is_usable and not holds_more(answer.value, MOST_ITEMS)


def _with_one(
    i: int, change: Callable[[Array], Array], args: list[Any], sizes: Sizes
) -> list[Any]:
    """The arguments with one of them changed: an array, a tensor, a list of arrays or a whole number."""
    value, array = args[i], as_array(args[i])
    if array is None:
        raise ValueError("not an argument of numbers")
    made: Any = np.ascontiguousarray(change(array))
    if isinstance(value, Tensor):
        made = replace(value, array=made.astype(array.dtype))
    elif not isinstance(value, np.ndarray):
        made = list(made) if isinstance(value, list | tuple) else int(made.item())
    return [*args[:i], made, *args[i + 1 :]]


def _scaled(
    i: int, size: str, power: float, args: list[Any], sizes: Sizes
) -> list[Any]:
    return _with_one(i, lambda array: array * float(sizes[size]) ** power, args, sizes)


def _exchanged(i: int, j: int, args: list[Any], sizes: Sizes) -> list[Any]:
    return [args[{i: j, j: i}.get(at, at)] for at in range(len(args))]


def _counts(value: Any, *, is_part: bool) -> bool:
    """Whether an argument holds numbers that can be changed, and is more than one row where a part is to be.

    Biases, which have an axis of length 1, are left out.
    """
    array = as_array(value)
    if array is None or not array.size:
        return False
    if array.ndim == 0:
        return not is_part
    return isinstance(value, list | tuple) or array.shape[-1] > 1


def _raised(where: slice, array: Array) -> Array:
    """The array with larger numbers in some of its rows; a number is raised by one."""
    if array.ndim == 0:
        return array + 1
    made = array.astype(np.result_type(array.dtype, np.float32))
    made[where] = made[where] * 1.7 + np.sin(1 + np.arange(made[where].size)).reshape(
        made[where].shape
    )
    return made


def _turned(where: slice, array: Array) -> Array:
    """The array with numbers of mostly another sign in some of its rows; a number is far larger."""
    if array.ndim == 0:
        return array * 7 + 2
    made = array.astype(np.result_type(array.dtype, np.float32))
    made[where] = (
        np.cos(3 * np.arange(made[where].size)).reshape(made[where].shape)
        - 0.6 * made[where]
    )
    return made


OTHER_NUMBERS = (_raised, _turned)
"""Two changes: a program that compares an argument with a limit may not notice a single one."""
