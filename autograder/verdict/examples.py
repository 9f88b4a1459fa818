"""Examples: inputs of a task that students hand in; here whether they have the form that its arguments have.

Students check the form alone. Grading also counts the known mistakes that they tell apart (``telling.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course.cases import Call, ModuleCall
from autograder.verdict.arrays import as_entries, holds_more, kind_of, shape_of
from autograder.verdict.checks import CheckFunction, check
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import SubmissionProxy

MOST_EXAMPLES = 20
MOST_NUMBERS, LONGEST_AXIS, LARGEST_SIZE = 1 << 16, 512, 1024
"""What an input may hold: so many numbers in an array, along an axis, and as a whole number by itself."""
Sizes = Mapping[str, tuple[str, ...] | str]
"""A letter for each axis of an array and for a number, by the argument's name; equal where sizes are.

The axes of an array of booleans come after the word ``MASK``.
"""
MASK = "True or False"
Arguments = tuple[Any, ...]


def arguments_of(call: Call) -> Arguments:
    """The arguments of a case's call; a module's input is the last one."""
    return (
        (*call.args, call.input)
        if isinstance(call, ModuleCall)
        else tuple(getattr(call, "args", ()))
    )


def sizes_of(names: Sequence[str], calls: Iterable[Call]) -> Sizes:
    """Find the sizes that are equal in all calls of one form; an axis that is 1 in all of them is "1".

    Calls without all the arguments are ignored.
    """
    complete = [
        arguments
        for call in calls
        if len(arguments := arguments_of(call)) == len(names)
    ]
    letters: dict[tuple[int, ...], str] = {(1,) * len(complete): "1"}

    def letter(size_in_each_call: Iterable[int]) -> str:
        return letters.setdefault(
            (*size_in_each_call,), chr(ord("a") + len(letters) - 1)
        )

    sizes: dict[str, tuple[str, ...] | str] = {}
    for place, name in enumerate(names):
        values = [arguments[place] for arguments in complete]
        if all(isinstance(value, int | float) for value in values):
            sizes[name] = letter(values)
            continue
        arrays = [array for array in map(as_entries, values) if array is not None]
        axes = tuple(
            letter(axis)
            for axis in zip(*(array.shape for array in arrays), strict=True)
        )
        is_mask = {array.dtype.kind for array in arrays} == {"b"}
        sizes[name] = (MASK, *axes) if is_mask else axes
    return sizes


def forms_of(names: Sequence[str], calls: Iterable[Call]) -> Sequence[Sizes]:
    """List the forms in which calls have all their arguments, optional ones too, the most frequent first.

    Two calls have one form where each argument has as many axes. Of a mask, the axes of size 1 have to be the
    same as well: they are the ones that broadcast, and would else seem to have nothing to do with the scores.
    """
    calls_of_form: dict[str, list[Call]] = {}
    for call in calls:
        arguments = arguments_of(call)
        if len(arguments) != len(names):
            continue
        form = []
        for value in arguments:
            array = as_entries(value)
            shape = () if array is None else array.shape
            broadcasts = array is not None and array.dtype.kind == "b"
            form.append(
                (len(shape), [size == 1 for size in shape] if broadcasts else None)
            )
        calls_of_form.setdefault(repr(form), []).append(call)
    ordered = sorted(calls_of_form.values(), key=len, reverse=True)
    return [sizes_of(names, calls_of_one_form) for calls_of_one_form in ordered]


def has_form(arguments: Arguments, sizes: Sizes) -> bool:
    """Whether a student might hand in these arguments as an input of this form."""
    try:
        tuple(_read(arguments, sizes))
    except ValueError:
        return False
    return True


def written_sizes(sizes: Sizes) -> str:
    """Return the arguments as students read them: "Q (a, b), K (c, b)"."""
    shapes = {
        name: f"= {one}" if isinstance(one, str) else str(one)
        for name, one in sizes.items()
    }
    return ", ".join(f"{name} {one}" for name, one in shapes.items()).replace("'", "")


def read_examples(
    name: str, submission: SubmissionProxy, sizes: Sizes
) -> tuple[dict[int, Arguments], list[str]]:
    """Return the inputs of the right form by their numbers, and what is wrong with the others."""
    answer = submission.value(name)
    if not answer.is_usable:
        trouble = (
            f"cannot be read ({answer.error.type})" if answer.error else "is missing"
        )
        return {}, [f"`{name}` {trouble}: write a list of inputs, `{name} = […]`."]
    listed = answer.value
    if not isinstance(listed, list | tuple) or not listed:
        return {}, [
            f"`{name}` is {kind_of(listed)}: write a list of inputs, `{name} = […]`."
        ]
    usable, problems = dict[int, Arguments](), list[str]()
    for number, one in enumerate(listed[:MOST_EXAMPLES], 1):
        try:
            usable[number] = tuple(_read(one, sizes))
        except ValueError as error:
            problems.append(f"Input {number} does not count: {error}.")
    if len(listed) > MOST_EXAMPLES:
        problems.append(f"Only the first {MOST_EXAMPLES} inputs count.")
    return usable, problems


def _read(example: Any, sizes: Sizes) -> Iterator[Any]:
    """Yield the arguments of one example; ``ValueError`` says which one has the wrong form."""
    wanted = f"the arguments are {written_sizes(sizes)}"
    if len(sizes) == 1:  # an only argument may stand by itself
        [only] = sizes.values()
        array, axes = as_entries(example, MOST_NUMBERS), 0
        if not isinstance(only, str):
            axes = sum(axis != MASK for axis in only)
        is_wrapped = isinstance(example, tuple | list) and len(example) == 1
        example = (
            example
            if is_wrapped and (array is None or array.ndim != axes)
            else (example,)
        )
    if not isinstance(example, tuple | list) or len(example) != len(sizes):
        raise ValueError(f"it is {kind_of(example)}; {wanted}")
    known: dict[str, int] = {"1": 1}
    for value, (name, letters) in zip(example, sizes.items(), strict=True):
        array, is_number = as_entries(value, MOST_NUMBERS), isinstance(letters, str)
        is_mask, own = MASK in letters, [one for one in letters if one != MASK]
        array = (
            None
            if array is not None and array.dtype.kind == "b" and not is_mask
            else array
        )
        shape = () if array is None else array.shape
        is_large = math.prod(shape) > MOST_NUMBERS or max((0, *shape)) > LONGEST_AXIS
        if is_large or holds_more(value, MOST_NUMBERS):
            most = f"at most {MOST_NUMBERS:,} numbers, and {LONGEST_AXIS} along an axis"
            raise ValueError(f"{name} is too large: {most}")
        if array is None:
            what = f"{kind_of(value)}, not real numbers in rows of equal length"
            raise ValueError(f"{name} is {what}; {wanted}")
        if array.ndim != (0 if is_number else len(own)):
            raise ValueError(f"{name} has shape {shape_of(array)}; {wanted}")
        if not array.size or not np.isfinite(array).all():
            raise ValueError(f"{name} is empty, or holds numbers that are not finite")
        if is_number and not (1 <= array <= LARGEST_SIZE and array == int(array)):
            raise ValueError(f"{name} is not a whole number from 1 to {LARGEST_SIZE:,}")
        if is_mask and not ((array == 0) | (array == 1)).all():
            raise ValueError(f"{name} holds something else than True and False")
        for letter, size in zip(
            own, (int(array),) if is_number else array.shape, strict=True
        ):
            if known.setdefault(letter, size) != size:
                given = f"is {size}" if is_number else f"has shape {shape_of(array)}"
                raise ValueError(
                    f"{name} {given}, but {letter} is {known[letter]}; {wanted}"
                )
        plain = (
            np.bool_
            if is_mask
            else np.int64
            if array.dtype.kind in "iu"
            else np.float64
        )
        yield int(array) if is_number else array.astype(plain)


def valid(name: str, sizes: Sizes) -> CheckFunction:
    """Return the check of the form of a task's examples, as students have it."""

    def passes(submission: SubmissionProxy) -> None:
        refuse(read_examples(name, submission, sizes)[1])

    passes.__name__, passes.__doc__ = f"test_{name}_valid", f"{name} are valid inputs."
    return check(task=name, points=1, public=True)(passes)


def refuse(problems: Sequence[str]) -> None:
    """Fail a check for these problems of examples, of which the first few are told."""
    if problems:
        more = (
            f" There are {len(problems) - 3} more like these."
            if len(problems) > 3
            else ""
        )
        raise CheckFailed(Failure(FailureKind.ARITY, " ".join(problems[:3]) + more))
