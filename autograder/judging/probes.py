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
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.course import FunctionCall, ReboundCall
from autograder.judging.agreement import Diagnosis, breaks_down, numbers_in, same_answer
from autograder.judging.comparison import as_array, holds_more
from autograder.judging.known import KnownCase
from autograder.judging.outside import named_arguments, positive_sizes, sizes_of
from autograder.sandbox import Answer
from autograder.worker import Array, Tensor

if TYPE_CHECKING:
    from autograder.judging.fixtures import Compare

MOST_TRIES, LEAST_NUMBERS, LEAST_DIFFERENCE = 300, 8, 1e-6
MOST_ITEMS = 400
"""Nested lists with more numbers than that are not compared one with another."""
SLOW = 0.2
"""A function that needs more seconds than this for one call is not tried with other arguments."""
Look = Callable[["Compare", Sequence[KnownCase]], "Diagnosis | None"]
Sizes = Mapping[str, int]
Change = Callable[[list[Any], Sizes], list[Any]]
"""Makes other arguments from a call's own and from their sizes."""

CHANGES: Sequence[tuple[str, str, Callable[[Array], Array]]] = (
    ("argument-negated", "with the other sign: look for a minus", np.negative),
    ("argument-twice", "halved: is it used twice", lambda a: a / 2),
    ("argument-halved", "doubled: is it halved somewhere", lambda a: a * 2),
    ("argument-reversed", "in reverse order: look for `[::-1]` or `flip`", lambda a: a[::-1]),
    ("argument-reversed", "with its columns reversed: look for `flip`", lambda a: a[:, ::-1]),
    ("argument-shifted", "shifted by one place: look at the indices", lambda a: np.roll(a, -1, 0)),
    ("reshaped", "in the order of `.T`: a `reshape` does not transpose", lambda a: a.T.reshape(a.shape)),
    ("argument-transposed", "transposed: look for a `.T` too many or missing", lambda a: a.T),
)
PARTS = {
    "": np.s_[:],
    "anything but the first {0} of ": np.s_[1:],
    "anything but the last {0} of ": np.s_[:-1],
    "the last {0} of ": np.s_[-1:],
    "the first {0} of ": np.s_[:1],
}


def probe(compare: Compare, wrong: Sequence[KnownCase], looks: Sequence[Look]) -> Diagnosis | None:
    """Return what the first look finds at the function whose wrong cases these are; small ones come first."""
    seconds = max(compare.submission.answers[one.case.id].seconds for one in wrong)
    if seconds > SLOW or not all(isinstance(one.case.call, FunctionCall) for one in wrong):
        return None
    ordered = sorted(wrong, key=lambda one: sum(sizes_of(one.case.call, ()).values()))
    return next(filter(None, (look(compare, ordered) for look in looks)), None)


def differs(compare: Compare, wrong: Sequence[KnownCase]) -> Diagnosis | None:
    """Two calls with the same arguments give different results, perhaps with other random numbers."""
    call, steady = wrong[0].case.call, compare.submission.steady
    if call.name in steady:
        return None
    first, *others = compare.submission.calls([ReboundCall(call, {}, seed) for seed in (0, 0, 1)])
    if not same_answer(first, first, LEAST_DIFFERENCE):  # a text, say, of which it is not known what is equal
        return None
    if not _is_small(first) or all(same_answer(first, one, LEAST_DIFFERENCE) for one in others):
        steady.add(call.name)
        return None
    look = "look for random numbers, as of a dropout, and for values that one call leaves behind for the next"
    says = f"Two calls with the same arguments give different results: {look}."
    return Diagnosis(("differs-from-call-to-call",), says)


def unused(compare: Compare, wrong: Sequence[KnownCase]) -> Diagnosis | None:
    """The arguments that leave every result as it is, or the rows of one that do.

    Biases, which have an axis of length 1, are left out: softmax does not see those of keys.
    """
    named, _ = _named(compare, wrong[0])
    names, values = list(named), list(named.values())
    left = [(part, i) for part in PARTS for i, one in enumerate(values) if _counts(one, is_part=bool(part))]
    for cases in (wrong[:1], wrong[1:]):
        made = [partial(_with_one, i, partial(_other_numbers, PARTS[part])) for part, i in left]
        rows = _answers(compare, cases, [lambda args, sizes: args, *made])
        if any(before is None or breaks_down(before) for before, *_ in rows):
            return None
        left = [one for at, one in enumerate(left, 1) if all(_same(row[0], row[at]) for row in rows)]
    if not left:
        return None
    part = left[0][0]
    found = [i for one, i in left if one == part]
    first, last = values[found[0]], names[found[-1]]
    word = "item" if isinstance(first, list | tuple) else ("entry" if np.ndim(first) == 1 else "row")
    listed = " or ".join(filter(None, (", ".join(names[i] for i in found[:-1]), last)))
    other = "is another array used in its" if len(found) == 1 else "what is used in their"
    look = "do loops and slices cover all of it?" if part else f"{other} place?"
    says = f"Your result does not depend on {part.format(word)}{listed}: {look}"
    return Diagnosis(("argument-unused",), says)


def set_right(compare: Compare, wrong: Sequence[KnownCase]) -> Diagnosis | None:
    """One argument with which, negated, scaled or reversed, or two with which, exchanged, all is right."""
    if sum(numbers_in(one.expected) for one in wrong) < LEAST_NUMBERS:
        return None
    named, sizes = zip(*(_named(compare, one) for one in wrong), strict=True)
    different = {tuple(own.get(name) for own in sizes): name for name in reversed(sizes[0])}
    tries = list(itertools.islice(_tries(named[0], list(different.values())), MOST_TRIES))
    for cases in (wrong[:1], wrong[1:]):
        rows = _answers(compare, cases, [change for _, _, change in tries])
        came = list(zip(cases, rows, strict=True))
        tries = [
            one
            for at, one in enumerate(tries)
            if all((got := row[at]) is not None and known.is_right(got) for known, row in came)
        ]
    if not tries:
        return None
    label, how, _ = tries[0]
    return Diagnosis((label,), f"Your result would be right if {how}{'?' if ': is ' in how else '.'}")


def _named(compare: Compare, known: KnownCase) -> tuple[dict[str, Any], Sizes]:
    """The arguments of a case, and their sizes, by what they are called in the student's code."""
    call = known.case.call
    parameters = compare.submission.facts(call.name).parameters
    return named_arguments(call, parameters), positive_sizes(call, parameters)


def _tries(named: Mapping[str, Any], sizes: Sequence[str]) -> Iterator[tuple[str, str, Change]]:
    """Yield a label, what would set the result right, and how it is tried."""
    arrays = {i: name for i, name in enumerate(named) if isinstance(named[name], np.ndarray | Tensor | list)}
    for (label, how, change), (i, name) in itertools.product(CHANGES, arrays.items()):
        yield label, f"{name} came {how}", partial(_with_one, i, change)
    for (i, one), (j, other) in itertools.combinations(arrays.items(), 2):
        if np.shape(as_array(named[one])) == np.shape(as_array(named[other])):  # type: ignore[arg-type]
            yield "arguments-exchanged", f"{one} and {other} changed places", partial(_exchanged, i, j)
    for size, power, (i, name) in itertools.product(sizes, (-0.5, 0.5), arrays.items()):
        by = f"{'divided' if power < 0 else 'multiplied'} by the root of {size}"
        says = f"{name} came {by}: look for a scaling that is missing there, or is one too many"
        yield "argument-scaled", says, partial(_scaled, i, size, power)


def _answers(
    compare: Compare, cases: Sequence[KnownCase], changes: Sequence[Change]
) -> list[list[Answer | None]]:
    """For each case its answers with other arguments, all from one run.

    None stands where the arguments do not fit, or nothing is returned.
    """
    calls: dict[tuple[int, int], FunctionCall] = {}
    for row, known in enumerate(cases):
        named, sizes = _named(compare, known)
        for at, change in enumerate(changes):
            with suppress(ValueError, IndexError, KeyError):
                args = tuple(change(list(named.values()), sizes))
                calls[row, at] = FunctionCall(known.case.call.name, args)
    came = compare.submission.calls([*calls.values()]) if calls else ()
    found: list[list[Answer | None]] = [[None] * len(changes) for _ in cases]
    for (row, at), one in zip(calls, came, strict=True):
        restored = compare.submission.answers.restored(cases[row], one) if _is_small(one) else one
        found[row][at] = restored if _is_small(restored) else None
    return found


def _same(before: Answer | None, after: Answer | None) -> bool:
    return before is not None and after is not None and same_answer(before, after, 0)


def _is_small(answer: Answer) -> bool:
    return answer.is_usable and not holds_more(answer.value, MOST_ITEMS)


def _with_one(i: int, change: Callable[[Array], Array], args: list[Any], sizes: Sizes) -> list[Any]:
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


def _scaled(i: int, size: str, power: float, args: list[Any], sizes: Sizes) -> list[Any]:
    return _with_one(i, lambda array: array * float(sizes[size]) ** power, args, sizes)


def _exchanged(i: int, j: int, args: list[Any], sizes: Sizes) -> list[Any]:
    return [args[{i: j, j: i}.get(at, at)] for at in range(len(args))]


def _counts(value: Any, *, is_part: bool) -> bool:
    """Whether other numbers must lead to another result: those of a bias need not."""
    array = as_array(value)
    if array is None or array.ndim == 0:
        return array is not None and not is_part
    return isinstance(value, list | tuple) or array.shape[-1] > 1


def _other_numbers(where: slice, array: Array) -> Array:
    """The array with other numbers in some of its rows; a number is raised by one."""
    if array.ndim == 0:
        return array + 1
    made = array.astype(np.result_type(array.dtype, np.float32))
    made[where] = made[where] * 1.7 + np.sin(1 + np.arange(made[where].size)).reshape(made[where].shape)
    return made
