"""Find how wrong numbers relate to the right ones: by one factor, in another order, in one row only.

A relation is reported only if it holds in every wrong array that a function returned, exactly, and for more numbers
than can agree by chance.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from autograder.language import say
from autograder.reasons.code_facts import CodeFacts
from autograder.reasons.transforms import (
    ALONG_AXIS,
    ARGUMENT_FORMS,
    EACH_NUMBER,
    WITH_ARGUMENT,
    Transform,
)
from autograder.reasons.weights import weights_of_wrong_scores
from autograder.reasons.wrong import (
    LEAST_SPARE,
    NEARLY,
    RESULT,
    ArrayChange,
    Tells,
    WrongArray,
    WrongArrays,
    all_equal,
    are_nearly_equal,
    axes_of,
    common_matrices,
    describe_factor,
    labelled,
)
from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

LEAST_RIGHT = 4
"""How many numbers must be right outside a wrong region."""
LEAST_FILLED = 0.7
"""Which share of a wrong region must be wrong."""
LEAST_OFF = 0.01
"""Rows are called off by a factor from this share of the largest number on."""
LEAST_SHOWN = 1e-9
LARGEST_SHOWN = 1e9
AXES = {1: ("entry",), 2: ("row", "column"), 3: ("item", "row", "column")}
"""What one place along each axis is called, by the number of axes."""
PLURALS = {"entry": "entries"}
SUBJECTS = {
    "All your numbers": "All your numbers in {title}",
    "All your weights": "All your weights in {title}",
    "Your numbers": "Your numbers in {title}",
    "Your weights": "Your weights in {title}",
    "Every number": "Every number in {title}",
    "The right numbers": "The right numbers in {title}",
}
"""How sentences begin that are about an array, without its name and with it."""
ALL_BUT = "all but "
"""Begins the name of a region outside of a row, say."""
FIRST = f"{ALL_BUT}the first "
LIST_OF_VECTORS = ("item", "row")
INTEGERS = "look for `//`, `int(…)`, `astype(int)`, or an array of whole numbers that is filled"

Relation = Callable[[WrongArrays], Reason | None]
"""Looks for one kind of relation that holds in all wrong arrays."""


class TransformedRow(NamedTuple):
    """A row of a table of transforms, as it applies to some wrong arrays.

    Attributes:
        row: the row.
        says: the sentence for the student.
        arrays: for each wrong array, what the mistake makes of the right one.
    """

    row: Transform
    says: str
    arrays: Iterable[Array]


Table = Callable[[WrongArrays], Iterator[TransformedRow]]
"""Yields the rows of a table of transforms, as they apply to some wrong arrays."""
LineKind = Literal["factor", "offset", "both"]
Line = tuple[Array, Array]
"""A slope and an offset, one of each for an array, or for each of its rows or columns."""

KINDS: Mapping[LineKind, str] = {
    "factor": "a factor",
    "offset": "an added number",
    "both": "a factor and an added number",
}


def related(
    wrongs: WrongArrays,
    *,
    all_cases_wrong: bool,
    is_last: bool = False,
    code: CodeFacts | None = None,
) -> Reason | None:
    """Return the first relation that holds in all wrong arrays.

    NaN and infinities, in the answers or the expected values, have reasons of their own: then there is no
    relation.

    Args:
        wrongs: the wrong arrays of all cases of one function.
        all_cases_wrong: no case that students see is right; only then can a part of the array be what is wrong.
        is_last: look for the relations that say least.
        code: what stands in the student's code; None where it is not known.
    """
    nonempty = []
    for wrong in wrongs:
        if wrong.array.size:
            nonempty.append(wrong)
    wrongs = nonempty
    axis_counts = {wrong.array.ndim for wrong in wrongs}
    if len(axis_counts) != 1 or not axis_counts <= AXES.keys():
        return _related_in_rows(wrongs)
    if sum(wrong.array.size for wrong in wrongs) < LEAST_SPARE:
        return None
    if not _are_finite(wrongs):
        return None
    # The largest of numbers that are all NaN has the id 0: that says nothing.
    are_ids = all((wrong.expected == wrong.expected.round()).all() for wrong in wrongs)
    if not are_ids and not any(wrong.array.any() for wrong in wrongs):
        return _with_title(_all_zeros(wrongs), wrongs[0].title)

    region: list[Relation] = [_mirrored]
    if all_cases_wrong:
        region.append(partial(_wrong_region, is_last=is_last, code=code))
    relations: list[Relation]
    if _count_distinct(wrongs) < LEAST_SPARE:
        # Equal right numbers, such as uniform weights, agree with a formula as easily as a single one does.
        relations = region
    elif is_last:
        relations = [_all_alike, _off_in_groups, *region, _never_filled]
    else:
        relations = [
            _cut_to_integers,
            *region,
            partial(_changed, tables=(_each_number, _along_axis, _with_argument)),
            _off_by_one_number,
            _rows_in_another_order,
            weights_of_wrong_scores,
        ]
    return _first_that_holds(relations, wrongs)


def _related_in_rows(wrongs: WrongArrays) -> Reason | None:
    """Look at arrays of several numbers of axes, such as weights with heads and without, as lists of rows.

    A relation of each number, or within each row, says the same then. A region does not, so none is looked for.
    """
    for wrong in wrongs:
        if wrong.array.ndim < 2 or wrong.array.shape != wrong.expected.shape:
            return None
    if not _are_finite(wrongs):
        return None

    wrongs_in_rows = []
    for wrong in wrongs:
        shape = wrong.array.shape
        matrices = {}
        for name, array in wrong.matrices.items():
            if array.shape == shape:
                matrices[name] = _in_rows(array)
        wrong_in_rows = replace(
            wrong,
            array=_in_rows(wrong.array),
            expected=_in_rows(wrong.expected),
            is_wrong=_in_rows(wrong.is_wrong),
            matrices=matrices,
            axis_names=AXES[2],
        )
        wrongs_in_rows.append(wrong_in_rows)
    if _count_distinct(wrongs_in_rows) < LEAST_SPARE:
        return None
    relations: list[Relation] = [
        _cut_to_integers,
        partial(_changed, tables=(_each_number,)),
        _off_by_one_number,
        partial(weights_of_wrong_scores, axes=((1, "column"),)),
        _rows_off_by_factors,
    ]
    return _first_that_holds(relations, wrongs_in_rows)


def _in_rows(array: Array) -> Array:
    return array.reshape(-1, array.shape[-1])


def _first_that_holds(
    relations: Sequence[Relation], wrongs: WrongArrays
) -> Reason | None:
    """Return the reason of the first relation that holds."""
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        for relation in relations:
            reason = relation(wrongs)
            if reason is not None:
                return _with_title(reason, wrongs[0].title)
    return None


def _with_title(reason: Reason, title: str) -> Reason:
    """Name the part of the result that the sentence is about, where it is not about all of it."""
    if title in (RESULT, say(RESULT)):
        return reason
    for subject, named_subject in SUBJECTS.items():
        words = say(subject)
        if reason.says.startswith(f"{words} "):
            full_subject = say(named_subject, title=title)
            says = reason.says.replace(words, full_subject, 1)
            return replace(reason, says=says)
    return reason


def _are_finite(wrongs: WrongArrays) -> bool:
    """Return whether all numbers are finite, the wrong and the expected ones."""
    for wrong in wrongs:
        if not np.isfinite(wrong.array).all() or not np.isfinite(wrong.expected).all():
            return False
    return True


def _count_distinct(wrongs: WrongArrays, axis: int | None = None) -> int:
    """Count the expected numbers that differ by more than rounding in each array, or each group along an axis."""
    count = 0
    for wrong in wrongs:
        in_order = np.sort(wrong.expected, axis=axis)
        steps = np.diff(in_order, axis=-1 if axis is None else axis)
        is_step = steps > wrong.rounding * np.abs(wrong.expected).max()
        distinct = 1 + is_step.sum(axis=axis)
        count += int(distinct.sum())
    return count


# Whole numbers, zeros, and a part of the array


def _cut_to_integers(wrongs: WrongArrays) -> Reason | None:
    """Find the right numbers without their decimals, cut towards 0 or downwards.

    Zeros of floats show nothing: weights that vanish beside weights of 1 are also the right ones cut towards 0.
    """
    for cut in (np.trunc, np.floor):
        if not all(_is_cut(wrong, cut) for wrong in wrongs):
            continue
        if any(wrong.holds_integers or _keeps_whole_part(wrong) for wrong in wrongs):
            says = say(
                "The right numbers come back without their decimals: {hint}",
                hint=say(INTEGERS),
            )
            return labelled("cut-to-integers", says, tells=Tells.CAUSE)
    return None


def _is_cut(wrong: WrongArray, cut: ArrayChange) -> bool:
    """Return whether all numbers are the right ones cut to whole ones, and some of these have decimals."""
    low = cut(wrong.expected - wrong.rounding)
    high = cut(wrong.expected + wrong.rounding)
    is_cut = (wrong.array == low) | (wrong.array == high)
    # Without decimals, a cut of rounded numbers looks like 1 subtracted.
    has_decimals = low == high
    loses_decimals = has_decimals & (wrong.array != wrong.expected)
    return bool(is_cut.all() and loses_decimals.any())


def _keeps_whole_part(wrong: WrongArray) -> bool:
    """Return whether a wrong number is not 0."""
    return bool((wrong.is_wrong & (wrong.array != 0)).any())


def _all_zeros(wrongs: WrongArrays) -> Reason:
    """Say that nothing but 0 came back; right numbers below 1 may have been cut to whole ones."""
    look = say(
        "is nothing written into the array that is returned, or is it multiplied by 0?"
    )
    if all(np.abs(wrong.expected).max() < 1 for wrong in wrongs):
        look += " " + say(
            "Or is everything cut to whole numbers: {hint}", hint=say(INTEGERS)
        )
    return labelled("all-zeros", say("All your numbers are 0: {look}", look=look))


def _wrong_region(
    wrongs: WrongArrays, *, is_last: bool, code: CodeFacts | None
) -> Reason | None:
    """Find the part that holds all wrong numbers: a row or column, the diagonal, a side of it, all but a row.

    Args:
        wrongs: the wrong arrays.
        is_last: name all but a row also where the wrong numbers are not 0.
        code: what stands in the student's code; None where it is not known.
    """
    is_wrong = _in_a_row([wrong.is_wrong for wrong in wrongs])
    is_zero = not _in_a_row([wrong.array for wrong in wrongs])[is_wrong].any()
    regions = [dict(_regions(wrong.array.shape, wrong.axis_names)) for wrong in wrongs]
    for name in regions[0]:
        is_part = name.startswith("only")
        if not (is_part or is_zero or is_last):
            continue
        # Everything wrong is inside, most of the inside is wrong, and there are numbers outside.
        is_inside = _in_a_row([regions_of_wrong[name] for regions_of_wrong in regions])
        if is_wrong[~is_inside].any() or (~is_inside).sum() < LEAST_RIGHT:
            continue
        if is_wrong.sum() < max(2, LEAST_FILLED * is_inside.sum()):
            continue

        texts = {"title": wrongs[0].title, "region": say(name.removeprefix(ALL_BUT))}
        if is_part:
            state = say("0, which is wrong") if is_zero else say("wrong")
            fact = say(
                "In {title} {region} is {state}, and everything else there is right.",
                state=state,
                **texts,
            )
            look = _where_it_ends(code)
        elif is_zero:
            fact = say(
                "In {title} {region} is right, and what is wrong in the others is 0.",
                **texts,
            )
            look = _where_it_ends(code)
            if name.startswith(FIRST) and (code is None or code.has_loop):
                look = say("Is the `return` inside the loop? {look}", look=look)
        else:
            fact = say("In {title} {region} is right, and the others are not.", **texts)
            look = _what_treats_it_differently(name, code)
        says = f"{fact} {look}".rstrip()
        return labelled("region-wrong", says, tells=Tells.LITTLE)
    return None


def _in_a_row(arrays: Sequence[Array]) -> Array:
    return np.concatenate([array.ravel() for array in arrays])


def _where_it_ends(code: CodeFacts | None) -> str:
    """Say what begins and ends somewhere, or chooses places, as far as the code has it."""
    look = _what_begins_and_ends(code)
    if code is None or not code.conditions:
        return look
    asked = say(
        "Does the condition `{condition}` choose other places than it should?",
        condition=code.conditions[0],
    )
    return f"{asked} {look}".rstrip()


def _what_begins_and_ends(code: CodeFacts | None) -> str:
    if code is None or (code.has_loop and code.has_slice):
        return say("Look at where loops, ranges and slices begin and end.")
    if code.has_loop:
        return say(
            "Look at where loops and ranges begin and end, and what is written over it."
        )
    if code.has_slice:
        return say("Look at where slices begin and end.")
    return ""


def _what_treats_it_differently(name: str, code: CodeFacts | None) -> str:
    """Ask what treats the only right part differently, as far as the code has such a thing."""
    is_first_item = name == f"{ALL_BUT}the first item"
    has_rounds = is_first_item if code is None else code.has_loop
    if name.startswith(FIRST) and has_rounds:
        return say(
            "Does the first round of your loop change something that the later ones use?"
        )
    if code is None or (code.has_mask and code.has_loop and code.has_slice):
        return say(
            "Look for a mask, a loop or a slice that treats it differently, or "
            "for a formula in which it is a special case."
        )
    if is_first_item and code.has_first_index:
        return say(
            "Does an index such as `[0]` take what belongs to the first item, and use "
            "it for all?"
        )
    things = []
    for has_thing, thing in (
        (code.has_mask, "a mask"),
        (code.has_loop, "a loop"),
        (code.has_slice, "a slice"),
    ):
        if has_thing:
            things.append(say(thing))
    if not things:
        return say("Look for a formula in which it is a special case.")
    return say(
        "Look for {things} that treats it differently, or for a formula in which it is "
        "a special case.",
        things=f" {say('or')} ".join(things),
    )


def _mirrored(wrongs: WrongArrays) -> Reason | None:
    """Find one side of the diagonal that is a copy of the other, which is right.

    Of a matrix that is not square, only the square in which both sides of the diagonal are is looked at.
    """
    if wrongs[0].array.ndim != 2:
        return None
    for side, take_side, offset in (("above", np.triu, 1), ("below", np.tril, -1)):
        count_copied = 0
        is_copy = True
        for wrong in wrongs:
            size = min(wrong.array.shape)
            square = np.s_[:size, :size]
            expected = wrong.expected[square]
            is_inside = take_side(np.ones_like(expected), offset)
            mirrored = np.where(is_inside, expected.T, expected)
            is_copy = is_copy and wrong.are_equal(wrong.array[square], mirrored)
            count_copied += int((wrong.is_wrong[square] * is_inside).sum())
        if is_copy and count_copied >= LEAST_SPARE:
            says = say(
                f"In {{title}} the part {side} the diagonal is a copy of the other part: entry "
                "[i, j] is what belongs at [j, i]. The two are not equal here: compute each entry.",
                title=wrongs[0].title,
            )
            return labelled("mirrored", says, tells=Tells.CAUSE)
    return None


def _rows_in_another_order(wrongs: WrongArrays) -> Reason | None:
    """Find matrices whose rows are the right ones, in another order; the first row at another place is named."""
    if wrongs[0].array.ndim != 2:
        return None
    for wrong in wrongs:
        if len(np.unique(wrong.expected, axis=0)) < len(wrong.expected):
            return None  # equal rows can stand for one another
        if not wrong.are_equal(_sorted_rows(wrong.array), _sorted_rows(wrong.expected)):
            return None
    first = wrongs[0]
    row = int(np.argmax(first.is_wrong.any(axis=1)))
    distances = np.abs(first.expected - first.array[row]).max(axis=1)
    says = say(
        "The rows of {title} are the right ones, in another order: its row {row} is what row {other} should be. "
        "Look at the line that stores each row, or at the order in which rows are joined.",
        title=first.title,
        row=row,
        other=int(np.argmin(distances)),
    )
    return labelled("rows-in-another-order", says, tells=Tells.CAUSE)


def _sorted_rows(matrix: Array) -> Array:
    """Return the rows in the order of their numbers, the first column first."""
    return matrix[np.lexsort(matrix.T[::-1])]


def _regions(
    shape: tuple[int, ...], axis_names: Sequence[str]
) -> Iterator[tuple[str, Array]]:
    """Yield parts of an array by name, as booleans: first a row or column, or a side of the diagonal."""
    index = np.indices(shape)
    ends = {}
    for name, places, size in zip(axis_names, index, shape, strict=True):
        ends[f"the first {name}"] = places == 0
        ends[f"the last {name}"] = places == size - 1
    for name, is_inside in ends.items():
        yield f"only {name}", is_inside
    if len(shape) == 2:
        yield "only the diagonal", index[0] == index[1]
        yield "only the part below the diagonal", index[0] > index[1]
        yield "only the part above the diagonal", index[0] < index[1]
    for name, is_inside in ends.items():
        yield f"{ALL_BUT}{name}", ~is_inside


# The same change of all right numbers


def _changed(wrongs: WrongArrays, tables: Sequence[Table]) -> Reason | None:
    """Find a change that was made to all right numbers: the first row of some tables that gives the wrong ones."""
    for table in tables:
        for row, says, arrays in table(wrongs):
            if all_equal(wrongs, arrays):
                return labelled(row.label, says, tells=row.tells)
    return None


def _each_number(wrongs: WrongArrays) -> Iterator[TransformedRow]:
    """Yield the changes of each number separately."""
    for row in EACH_NUMBER:
        arrays = (row.change(wrong.expected) for wrong in wrongs)
        yield TransformedRow(row, say(f"Your numbers are {row.says}"), arrays)


def _along_axis(wrongs: WrongArrays) -> Iterator[TransformedRow]:
    """Yield the changes along an axis, such as the reverse order."""
    axes = axes_of(wrongs)
    for row, (axis, name) in itertools.product(ALONG_AXIS, axes):
        _, name_before = axes[axis - 1]
        says = row.says.format(PLURALS.get(name, f"{name}s"), name_before)
        arrays = (row.change(wrong.expected, axis) for wrong in wrongs)
        yield TransformedRow(row, say(f"Your numbers are {says}"), arrays)


def _with_argument(wrongs: WrongArrays) -> Iterator[TransformedRow]:
    """Yield the changes by an argument that is added, subtracted or multiplied once too often."""
    title = wrongs[0].title
    title = title[0].upper() + title[1:]
    for name, (form_text, form), row in itertools.product(
        common_matrices(wrongs), ARGUMENT_FORMS.items(), WITH_ARGUMENT
    ):
        argument = say(form_text, name=name)
        arrays = (
            row.change(wrong.expected, form(wrong.matrices[name])) for wrong in wrongs
        )
        says = say(
            "{title} would be right, but {use}",
            title=title,
            use=say(row.says, argument=argument),
        )
        yield TransformedRow(row, says, arrays)


# A factor or a summand: lines over the right numbers


def _fit(wrong: WrongArray, axis: int | None, kind: LineKind) -> Line:
    """Fit a line over the right numbers to the wrong ones, one for the array or for each group along an axis."""
    spread = wrong.expected
    if kind == "both":
        spread = spread - wrong.expected.mean(axis, keepdims=True)
    products = (spread * wrong.array).sum(axis, keepdims=True)
    slope = products / (spread**2).sum(axis, keepdims=True)
    if kind == "offset":
        slope = np.ones_like(slope)
    offset = (wrong.array - slope * wrong.expected).mean(axis, keepdims=True)
    if kind == "factor":
        offset = np.zeros_like(offset)
    return slope, offset


def _lines(wrongs: WrongArrays, axis: int | None, kind: LineKind) -> list[Line] | None:
    """Return the lines of all arrays if all numbers lie on them, and more than any line would fit.

    Args:
        wrongs: the wrong arrays.
        axis: the axis along which each group has its own line; None for one line for all of an array.
        kind: what is fitted; the other one is 1 for a factor and 0 for a summand.
    """
    lines = [_fit(wrong, axis, kind) for wrong in wrongs]
    count_fitted = sum(slope.size for slope, _ in lines)
    if kind == "both":
        count_fitted *= 2
    if _count_distinct(wrongs, axis) - count_fitted < LEAST_SPARE:
        return None
    for wrong, (slope, offset) in zip(wrongs, lines, strict=True):
        if not wrong.equals(slope * wrong.expected + offset):
            return None
        sizes = np.abs(slope)  # numbers that are multiplied by 0 have another reason
        if sizes.min() <= LEAST_SHOWN or sizes.max() >= LARGEST_SHOWN:
            return None
    return lines


def _off_by_one_number(wrongs: WrongArrays) -> Reason | None:
    """Find one factor, or one summand, by which all numbers of an array are off."""
    lines = _lines(wrongs, None, "factor")
    if lines is not None:
        factors = [float(slope.item()) for slope, _ in lines]
        times, tells = describe_factor(factors, wrongs)
        if _sum_to_1(wrongs, None):
            times = say("up to a factor: divide by the sum")
            tells = Tells.RELATION
        says = say("Every number is the right one {times}.", times=times)
        return labelled("constant-factor", says, tells=tells)

    lines = _lines(wrongs, None, "offset")
    if lines is not None:
        offsets = [float(offset.item()) for _, offset in lines]
        off = say("off by one number")
        if are_nearly_equal(offsets) and LEAST_SHOWN < abs(offsets[0]) < LARGEST_SHOWN:
            off = say("{number:.4g} too small", number=abs(offsets[0]))
            if offsets[0] > 0:
                off = say("{number:.4g} too large", number=offsets[0])
        says = say(
            "Every number is {off}: look at what is added or subtracted", off=off
        )
        return labelled("constant-offset", says)
    return None


def _sum_to_1(wrongs: WrongArrays, axis: int | None) -> bool:
    """Return whether the expected numbers of each array, or of each group along an axis, sum to 1."""
    sums = _in_a_row([np.asarray(wrong.expected.sum(axis)) for wrong in wrongs])
    return bool(np.abs(sums - 1).max() <= NEARLY)


def _off_in_groups(
    wrongs: WrongArrays,
    kinds: Sequence[LineKind] = tuple(KINDS),
    axes: Sequence[tuple[int, str]] | None = None,
) -> Reason | None:
    """Find rows or columns that are off by a factor, a summand, or both, of their own.

    Args:
        wrongs: the wrong arrays; of these only matrices can be off in groups.
        kinds: what they may be off by.
        axes: the axes whose rows or columns are looked at, with their names; all by default.
    """
    if wrongs[0].array.ndim != 2:
        return None
    if axes is None:
        axes = axes_of(wrongs)
    for kind, (axis, name) in itertools.product(kinds, axes):
        along = 1 - axis
        if _lines(wrongs, along, kind) is None:
            continue
        look = say(f"look at what each {name} is scaled or shifted by")
        if kind == "factor" and _sum_to_1(wrongs, along):
            look = say(f"divide each {name} by its own sum")
        says = say(
            f"Each {name} of {{title}} is right except for {{kind}} of its own: {{look}}",
            title=wrongs[0].title,
            kind=say(KINDS[kind]),
            look=look,
        )
        tells = Tells.LITTLE if kind == "factor" else Tells.GROUPS
        return labelled(f"{kind}-per-{name}", says, tells=tells)
    return None


def _rows_off_by_factors(wrongs: WrongArrays) -> Reason | None:
    """Find right rows that are off by a factor of their own.

    Factors of nearly 1 come from a small number in the sum, which has its own reason.
    """
    for wrong in wrongs:
        distance = np.abs(wrong.array - wrong.expected).max()
        if not distance <= LEAST_OFF * np.abs(wrong.expected).max():
            return _off_in_groups(wrongs, kinds=("factor",), axes=((0, "row"),))
    return None


# Rows that are the same, or were never filled


def rows_alike(wrongs: WrongArrays) -> Reason | None:
    """Return the reason where all rows, or columns, of the wrong arrays are the same and should differ."""
    axis_counts = {wrong.array.ndim for wrong in wrongs}
    if len(axis_counts) != 1 or not axis_counts <= AXES.keys():
        return None
    if not all(wrong.array.size for wrong in wrongs) or not _are_finite(wrongs):
        return None
    return _first_that_holds([_all_alike], wrongs)


def _all_alike(wrongs: WrongArrays) -> Reason | None:
    """Find rows, or columns, that are all the same and should differ."""
    if wrongs[0].array.ndim < 2:
        return None
    for axis, name in axes_of(wrongs)[:2]:
        if not all(_is_alike(wrong.array, axis, wrong.rounding) for wrong in wrongs):
            continue
        # A single row is always alike, and rows that should be alike are no fault.
        count_agreeing = 0
        for wrong in wrongs:
            if not _is_alike(wrong.expected, axis, wrong.rounding):
                size = wrong.array.size
                count_agreeing += size - size // wrong.array.shape[axis]
        if count_agreeing >= LEAST_SPARE:
            says = say(
                f"All {name}s of {{title}} are the same, and they should differ. Is "
                "the same array stored in every place, or does an index never change?",
                title=wrongs[0].title,
            )
            return labelled("all-alike", says, tells=Tells.EFFECT)
    return None


def _is_alike(array: Array, axis: int, rounding: float) -> bool:
    """Return whether all slices along the axis, such as rows, hold the same numbers."""
    largest_difference = np.ptp(array, axis=axis).max()
    largest = np.abs(array).max()
    return bool(largest_difference <= rounding * largest)


def _never_filled(wrongs: WrongArrays) -> Reason | None:
    """Find rows or columns of which all numbers are 0 in every wrong array, though none should be."""
    if wrongs[0].array.ndim != 2:
        return None
    title = wrongs[0].title
    for axis, name in axes_of(wrongs):
        along = 1 - axis
        is_empty = []  # for each array, for each of its rows or columns
        for wrong in wrongs:
            is_zero = ~wrong.array.any(axis=along)
            is_empty.append(np.asarray(is_zero & wrong.expected.any(axis=along)))
        # A single line may be 0 by chance, as a product with a row of zeros is.
        if _in_a_row(is_empty).sum() < LEAST_RIGHT:
            continue
        if any(lines.all() or not lines.any() for lines in is_empty):
            continue

        which = say(f"Some {name}s of {{title}} are", title=title)
        for start, ordinal in enumerate(("first", "second")):
            if all(_is_every_second(lines, start) for lines in is_empty):
                which = say(
                    f"Every second {name}, from the {ordinal} on, of {{title}} is",
                    title=title,
                )
        says = say(
            "{which} 0 throughout, and should not be: which line of yours fills it?",
            which=which,
        )
        return labelled("never-filled", says, tells=Tells.CAUSE)
    return None


def _is_every_second(lines: Array, start: int) -> bool:
    """Return whether every second entry is True, from one of the first two on, and no other."""
    return bool(lines[start::2].all() and not lines[1 - start :: 2].any())
