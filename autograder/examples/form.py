"""Examples: inputs of a task that students hand in, and the check that they have the form of its arguments.

Students check only the form. Grading also counts the known mistakes that they distinguish (``telling.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course.calls import Call, ModuleCall
from autograder.verdict.arrays import (
    as_array,
    as_entries,
    as_mask,
    broadcasting_axes,
    has_items,
    holds_more,
)
from autograder.verdict.checks import CheckFunction, check
from autograder.verdict.describe import describe, shape_of
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import SubmissionProxy
from autograder.worker.composites import SEQUENCES
from autograder.worker.wire import Array

MOST_EXAMPLES = 20
MOST_PROBLEMS = 3
"""Problems with examples that a text names."""
MOST_NUMBERS = 1 << 16
"""So many numbers an array of an input may hold."""
LONGEST_AXIS = 512
"""So many numbers it may hold along an axis."""
MOST_LEADING_AXES = 2
"""So many axes may stand before those of the form: a batch, and heads."""
LARGEST_SIZE = 1024
"""The largest whole number that may be given as a bare number."""
Axes = tuple[str, ...] | str
"""A letter for each axis of an array, after the word ``MASK`` if it holds booleans; a letter for a number."""
Sizes = Mapping[str, Axes]
"""The axes of each argument, by its name; letters are equal where sizes are."""
MASK = "True or False"
WHOLE_NUMBERS = "iu"
"""NumPy's kinds of integers."""
Arguments = tuple[Any, ...]


def arguments_of(call: Call) -> Arguments:
    """Return the arguments of a case's call; a module's input is the last one."""
    if isinstance(call, ModuleCall):
        return (*call.args, call.input)
    arguments = getattr(call, "args", ())
    return tuple(arguments)


def sizes_of(names: Sequence[str], calls: Iterable[Call]) -> Sizes:
    """Find the sizes that are equal in all calls of one form; an axis that is 1 in all of them is "1".

    Calls without all the arguments are ignored.
    """
    complete = []
    for call in calls:
        arguments = arguments_of(call)
        if len(arguments) == len(names):
            complete.append(arguments)
    all_ones = (1,) * len(complete)
    letters: dict[tuple[int, ...], str] = {all_ones: "1"}

    def letter(size_in_each_call: Iterable[int]) -> str:
        """Return the letter of a size, the next one where no earlier size was the same in each call."""
        number_of_letters = len(letters) - 1  # besides "1"
        next_letter = chr(ord("a") + number_of_letters)
        sizes_of_calls = tuple(size_in_each_call)
        return letters.setdefault(sizes_of_calls, next_letter)

    sizes: dict[str, Axes] = {}
    for place, name in enumerate(names):
        values = [arguments[place] for arguments in complete]
        are_numbers = all(isinstance(value, int | float) for value in values)
        if are_numbers:
            sizes[name] = letter(values)
            continue
        shapes = []
        kinds = set()
        for value in values:
            array = as_entries(value)
            if array is not None:
                shapes.append(array.shape)
                kinds.add(array.dtype.kind)
        sizes_by_axis = zip(*shapes, strict=True)
        letters_of_axes = tuple(map(letter, sizes_by_axis))
        sizes[name] = letters_of_axes
        if kinds == {"b"}:
            sizes[name] = (MASK, *letters_of_axes)
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
            number_of_axes = 0
            if array is not None:
                number_of_axes = array.ndim
            mask = as_mask(value)
            axes_of_mask = None
            if mask is not None:
                axes_of_mask = broadcasting_axes(mask)
            form.append((number_of_axes, axes_of_mask))
        calls_of_form.setdefault(repr(form), []).append(call)
    ordered = sorted(calls_of_form.values(), key=len, reverse=True)
    return [sizes_of(names, calls_of_one_form) for calls_of_one_form in ordered]


def has_form(arguments: Arguments, sizes: Sizes) -> bool:
    """Return whether arguments have exactly the axes of this form, with no leading axes more or fewer."""
    for value, axes in zip(arguments, sizes.values(), strict=False):
        array = as_entries(value)
        letters = _letters(axes)
        if array is not None and array.ndim != len(letters):
            return False
    try:
        tuple(_read(arguments, sizes))
    except ValueError:
        return False
    return True


def written_sizes(sizes: Sizes) -> str:
    """Return the arguments as students read them: "Q (a, b), K (c, b)"."""
    arguments = []
    for name, axes in sizes.items():
        if isinstance(axes, str):
            arguments.append(f"{name} = {axes}")
        else:
            arguments.append(f"{name} {axes}")
    text = ", ".join(arguments)
    return text.replace("'", "")


def read_examples(
    name: str, submission: SubmissionProxy, sizes: Sizes
) -> tuple[dict[int, Arguments], list[str]]:
    """Return the inputs of the right form by their numbers, and a sentence for each problem with the others."""
    answer = submission.value(name)
    advice = f"write a list of inputs, `{name} = […]`."
    inputs = answer.value
    fault = ""
    if answer.error is not None:
        fault = f"cannot be read ({answer.error.type})"
    elif not answer.is_usable:
        fault = "is missing"
    elif not isinstance(inputs, SEQUENCES) or not inputs:
        kind = describe(inputs)
        fault = f"is {kind}"
    if fault:
        return {}, [f"`{name}` {fault}: {advice}"]

    usable: dict[int, Arguments] = {}
    problems: list[str] = []
    examples = inputs[:MOST_EXAMPLES]
    for number, example in enumerate(examples, 1):
        try:
            usable[number] = tuple(_read(example, sizes))
        except ValueError as error:
            problems.append(f"Input {number} does not count: {error}.")
    if len(inputs) > MOST_EXAMPLES:
        problems.append(f"Only the first {MOST_EXAMPLES} inputs count.")
    return usable, problems


def _read(example: Any, sizes: Sizes) -> Iterator[Any]:
    """Yield the arguments of one example; ``ValueError`` says which one has the wrong form."""
    arguments_text = f"the arguments are {written_sizes(sizes)}"
    number_of_arguments = len(sizes)
    if number_of_arguments == 1 and not _is_wrapped(example, sizes):
        example = (example,)  # a single argument needs no tuple
    if not has_items(example, number_of_arguments):
        kind = describe(example)
        raise ValueError(f"it is {kind}; {arguments_text}")

    size_of_letter: dict[str, int] = {"1": 1}
    for value, (name, axes) in zip(example, sizes.items(), strict=True):
        is_number = isinstance(axes, str)
        is_mask = MASK in axes
        letters = _letters(axes)

        array = _numbers_of(value, name, is_mask, arguments_text)

        # It has the axes that are asked for, aligned from the right. A batch may stand before them. A batch that
        # the form has may be missing: a matrix is enough, and a row of a mask.
        number_of_axes = len(letters)
        most_axes = number_of_axes
        if not is_number:
            most_axes += MOST_LEADING_AXES
        least_axes = min(number_of_axes, 1 if is_mask else 2)
        shape = shape_of(array)
        if not least_axes <= array.ndim <= most_axes:
            raise ValueError(f"{name} has shape {shape}; {arguments_text}")
        is_finite = np.isfinite(array)
        if array.size == 0 or not is_finite.all():
            raise ValueError(f"{name} is empty, or holds numbers that are not finite")

        # A number is whole and not too large, a mask holds booleans.
        shared_axes = min(array.ndim, number_of_axes)
        leading_axes = array.ndim - shared_axes
        missing_axes = number_of_axes - shared_axes
        lengths = array.shape[leading_axes:]
        letters = letters[missing_axes:]
        fact = f"has shape {shape}"
        if is_number:
            number = int(array)
            is_whole = array == number
            if not is_whole or not 1 <= number <= LARGEST_SIZE:
                expected = f"a whole number from 1 to {LARGEST_SIZE:,}"
                raise ValueError(f"{name} is not {expected}")
            lengths = (number,)
            letters = (str(axes),)
            fact = f"is {number}"
        if is_mask:
            is_false = array == 0
            is_true = array == 1
            is_boolean = is_false | is_true
            if not is_boolean.all():
                raise ValueError(f"{name} holds values other than True and False")

        # Its sizes are those of the other arguments where these have the same letters.
        for letter, size in zip(letters, lengths, strict=True):
            is_stretched = size == 1 or letter == "1"
            if is_mask and is_stretched:
                continue  # to the sizes of the scores
            expected_size = size_of_letter.setdefault(letter, size)
            if expected_size != size:
                contradiction = f"{fact}, but {letter} is {expected_size}"
                raise ValueError(f"{name} {contradiction}; {arguments_text}")

        if is_number:
            yield int(array)
        elif is_mask:
            yield array.astype(np.bool_)
        elif array.dtype.kind in WHOLE_NUMBERS:
            yield array.astype(np.int64)
        else:
            yield array.astype(np.float64)


def _numbers_of(value: Any, name: str, is_mask: bool, arguments_text: str) -> Array:
    """Return an argument as an array of real numbers, a mask also of booleans; ``ValueError`` if it is none."""
    array = as_array(value, MOST_NUMBERS)
    if is_mask:
        array = as_entries(value, MOST_NUMBERS)
    is_large = holds_more(value, MOST_NUMBERS)
    if array is not None:
        longest_axis = max(array.shape, default=0)
        is_large |= array.size > MOST_NUMBERS or longest_axis > LONGEST_AXIS
    if is_large:
        limits = f"at most {MOST_NUMBERS:,} numbers, and {LONGEST_AXIS} along an axis"
        raise ValueError(f"{name} is too large: {limits}")
    if array is None:
        kind = describe(value)
        fact = f"is {kind}, not real numbers in rows of equal length"
        raise ValueError(f"{name} {fact}; {arguments_text}")
    return array


def _letters(axes: Axes) -> tuple[str, ...]:
    """Return a letter for each axis; a number has no axes."""
    if isinstance(axes, str):
        return ()
    letters = list(axes)
    if MASK in letters:
        letters.remove(MASK)
    return tuple(letters)


def _is_wrapped(example: Any, sizes: Sizes) -> bool:
    """Return whether an only argument comes in a tuple, and is not an array that looks like one."""
    if not has_items(example, 1):
        return False
    [axes] = sizes.values()
    letters = _letters(axes)
    array = as_entries(example, MOST_NUMBERS)
    return array is None or array.ndim != len(letters)


def valid(name: str, sizes: Sizes) -> CheckFunction:
    """Return the public check that a task's examples have the right form."""

    def passes(submission: SubmissionProxy) -> None:
        _, problems = read_examples(name, submission, sizes)
        refuse(problems)

    passes.__name__ = f"test_{name}_valid"
    passes.__doc__ = f"{name} are valid inputs."
    mark = check(task=name, points=1, public=True)
    return mark(passes)


def refuse(problems: Sequence[str]) -> None:
    """Fail a check because of problems with examples, if there are any; the text has the first few."""
    if not problems:
        return
    shown_problems = problems[:MOST_PROBLEMS]
    text = " ".join(shown_problems)
    more = len(problems) - MOST_PROBLEMS
    if more > 0:
        text = f"{text} There are {more} more like these."
    raise CheckFailed(Failure(FailureKind.ARITY, text))
