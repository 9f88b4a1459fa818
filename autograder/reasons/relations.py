"""How wrong numbers relate to the right ones: by one factor, in another order, in one row only.

Whatever is told holds in every wrong array that a function returned, exactly, and for more numbers than can
agree by chance.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from autograder.reasons.weights import weights_of_wrong_scores
from autograder.reasons.wrong import (
    LEAST_SPARE,
    NEARLY,
    RESULT,
    Change,
    Wrong,
    Wrongs,
    all_came_as,
    axes_of,
    factor_in_words,
    is_one_number,
    labelled,
    named_in,
)
from autograder.verdict.failure import Reason
from autograder.worker.wire import Array

LEAST_RIGHT, LEAST_FILLED = 4, 0.7
"""How many numbers are right beside a wrong region, and which share of the region is wrong, at least."""
WITHOUT_NEGATIVES = "right, but negative ones come back as 0"
KINDS = {"factor": "a factor", "offset": "a summand", "both": "a factor and a summand"}
LEAST_OFF = 0.01
"""Rows are called off by a factor from this share of the largest number on."""
LEAST_SHOWN, LARGEST_SHOWN = 1e-9, 1e9
AXES = {1: ("entry",), 2: ("row", "column"), 3: ("item", "row", "column")}
LIST_OF_VECTORS = ("item", "row")


Look = Callable[[Wrongs], Reason | None]


def related(wrongs: Wrongs, *, are_all: bool, is_last: bool = False) -> Reason | None:
    """Return what the first relation says that holds for all wrong arrays; the last ones say least.

    ``are_all`` says that no other case is right: only then a part of the array can be what is wrong. NaN and
    infinities, of either side, have reasons of their own, so there is no relation then.
    """
    wrongs = [wrong for wrong in wrongs if wrong.got.size]
    axes = {wrong.got.ndim for wrong in wrongs}
    if len(axes) != 1 or not axes <= AXES.keys():
        return _in_rows(wrongs)
    if sum(wrong.got.size for wrong in wrongs) < LEAST_SPARE:
        return None
    if not all(
        np.isfinite(wrong.got).all() and np.isfinite(wrong.wanted).all()
        for wrong in wrongs
    ):
        return None
    if not any(wrong.got.any() for wrong in wrongs):
        return _with_title(_all_zeros(wrongs), wrongs[0].title)
    region: list[Look] = [partial(_region, is_last=is_last)] if are_all else []
    # Equal right numbers, such as uniform weights, agree with one formula as easily as a single number does.
    if (
        sum(_distinct(wrong.wanted, None, wrong.rounding).sum() for wrong in wrongs)
        < LEAST_SPARE
    ):
        looks = region
    elif is_last:
        looks = [_alike, _off_in_groups, *region, _never_filled]
    else:
        looks = [_is_cut, *region, _made, _off_by_one, weights_of_wrong_scores]
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        diagnosis = next(filter(None, (look(wrongs) for look in looks)), None)
    return diagnosis and _with_title(diagnosis, wrongs[0].title)


def _in_rows(wrongs: Wrongs) -> Reason | None:
    """Look at arrays of several numbers of axes, such as weights with heads and without, as lists of rows.

    Only what happens to each number or within each row says the same then, so no region is looked for.
    """
    if not all(
        wrong.got.ndim > 1 and wrong.got.shape == wrong.wanted.shape for wrong in wrongs
    ):
        return None
    if not all(
        np.isfinite(wrong.got).all() and np.isfinite(wrong.wanted).all()
        for wrong in wrongs
    ):
        return None
    as_rows = []
    for wrong in wrongs:
        rows = (-1, wrong.got.shape[-1])
        named = {
            name: array.reshape(rows)
            for name, array in wrong.named.items()
            if array.shape == wrong.got.shape
        }
        as_rows.append(
            replace(
                wrong,
                got=wrong.got.reshape(rows),
                wanted=wrong.wanted.reshape(rows),
                marked=wrong.marked.reshape(rows),
                named=named,
                words=AXES[2],
            )
        )
    if (
        sum(_distinct(wrong.wanted, None, wrong.rounding).sum() for wrong in as_rows)
        < LEAST_SPARE
    ):
        return None
    weights = partial(weights_of_wrong_scores, axes=((1, "column"),))
    looks: list[Look] = [_is_cut, _of_each_number, _off_by_one, weights, _off_in_rows]
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        diagnosis = next(filter(None, (look(as_rows) for look in looks)), None)
    return diagnosis and _with_title(diagnosis, wrongs[0].title)


def _of_each_number(wrongs: Wrongs) -> Reason | None:
    """Find what was done to all right numbers, to each by itself."""
    for label, says, change in EACH:
        if all_came_as(wrongs, (change(wrong.wanted) for wrong in wrongs)):
            return labelled(label, f"Your numbers are {says}")
    return None


def _off_in_rows(wrongs: Wrongs) -> Reason | None:
    """Find right rows that are off by a factor of their own.

    Factors of nearly 1 come from a small number in the sum, which has a reason of its own.
    """
    if all(
        np.abs(wrong.got - wrong.wanted).max() <= LEAST_OFF * np.abs(wrong.wanted).max()
        for wrong in wrongs
    ):
        return None
    return _off_in_groups(wrongs, kinds=("factor",), axes=((0, "row"),))


def _with_title(diagnosis: Reason, title: str) -> Reason:
    """Say which part of a result the numbers are, where they are not all of it."""
    if title == RESULT:
        return diagnosis
    subject = r"^((?:All y|Y)our (?:numbers|weights)|(?:Every|The right) numbers?)"
    return replace(diagnosis, says=re.sub(subject, rf"\1 in {title}", diagnosis.says))


INTEGERS = "look for `//`, `int(…)`, `astype(int)`, or an array of whole numbers that is filled"


def _is_cut(wrongs: Wrongs) -> Reason | None:
    """Find the right numbers without their decimals, cut towards 0 or downwards."""
    for cut in (np.trunc, np.floor):
        if all(_came_cut(wrong, cut) for wrong in wrongs):
            return labelled(
                "cut-to-integers",
                f"The right numbers come back without their decimals: {INTEGERS}",
            )
    return None


def _came_cut(wrong: Wrong, cut: Change) -> bool:
    """Whether all numbers are the right ones cut to whole ones, and some of these have decimals to lose."""
    low, high = cut(wrong.wanted - wrong.rounding), cut(wrong.wanted + wrong.rounding)
    # Without decimals, a cut of rounded numbers looks like 1 subtracted.
    has_decimals = low == high
    is_cut = (wrong.got == low) | (wrong.got == high)
    return bool(is_cut.all() and (has_decimals & (wrong.got != wrong.wanted)).any())


def _all_zeros(wrongs: Wrongs) -> Reason:
    """Say that nothing but 0 came back; it may be the right numbers cut, which then are smaller than 1."""
    look = (
        "is nothing written into the array that is returned, or is it multiplied by 0?"
    )
    if all(np.abs(wrong.wanted).max() < 1 for wrong in wrongs):
        look += f" Or all is cut to whole numbers: {INTEGERS}"
    return labelled("all-zeros", f"All your numbers are 0: {look}")


def _regions(
    shape: tuple[int, ...], words: Sequence[str]
) -> Iterator[tuple[str, Array]]:
    """Parts of an array by name; a single row or column, or one side of the diagonal, comes first."""
    index, ends = np.indices(shape), dict[str, Array]()
    for word, at, size in zip(words, index, shape, strict=True):
        ends |= {f"the first {word}": at == 0, f"the last {word}": at == size - 1}
    yield from ((f"only {name}", part) for name, part in ends.items())
    if len(shape) == 2:
        yield "only the diagonal", index[0] == index[1]
        yield "only the part below the diagonal", index[0] > index[1]
        yield "only the part above the diagonal", index[0] < index[1]
    yield from ((f"all but {name}", ~part) for name, part in ends.items())


def _region(wrongs: Wrongs, *, is_last: bool) -> Reason | None:
    """All that is wrong lies in one row, one column, the diagonal or one side of it; or one row is right."""
    found = [dict(_regions(one.got.shape, one.words)) for one in wrongs]
    marked = [one.marked for one in wrongs]
    wrong, size = (
        sum(int(mark.sum()) for mark in marked),
        sum(mark.size for mark in marked),
    )
    is_zero = not any(one.got[one.marked].any() for one in wrongs)
    for name in found[0]:
        parts = [regions[name] for regions in found]
        total = sum(int(part.sum()) for part in parts)
        is_inside = not any(
            (mark & ~part).any() for mark, part in zip(marked, parts, strict=True)
        )
        is_sure = size - total >= LEAST_RIGHT and wrong >= max(2, LEAST_FILLED * total)
        if is_inside and is_sure and (name.startswith("only") or is_zero or is_last):
            ends = is_zero and name.startswith("all but the first")
            look = "Does the `return` stand inside the loop? " if ends else ""
            look += "Look at where loops, ranges and slices begin and end."
            if name.startswith("all but") and not is_zero:
                look = (
                    "Look for a mask, a loop or a slice that treats it in another way, or for a formula in "
                    "which it is a special case."
                )
            what = f"{name} is {'0, which is wrong' if is_zero else 'wrong'}, and everything else there is right"
            return labelled("region-wrong", f"In {wrongs[0].title} {what}. {look}")
    return None


EACH: Sequence[tuple[str, str, Change]] = (
    ("sign-flipped", "right but for their sign: look for a minus", np.negative),
    (
        "squared",
        "the squares of the right ones: is a result multiplied by itself?",
        np.square,
    ),
    (
        "absolute-values",
        "right, but negative ones come back as positive ones: look for `abs`",
        np.abs,
    ),
    (
        "negatives-cut",
        f"{WITHOUT_NEGATIVES}: look for a ReLU, `maximum` or `clip`",
        lambda a: a.clip(0),
    ),
    (
        "exponentials",
        "the exponentials of the right ones: one `exp` is too many",
        np.exp,
    ),
    ("logarithms", "the logarithms of the right ones: leave the `log` out", np.log),
    (
        "reciprocals",
        "1 divided by the right ones: what should divide what?",
        np.reciprocal,
    ),
)
ALONG: Sequence[tuple[str, str, Callable[[Array, int], Array]]] = (
    (
        "reversed",
        "the right {0}s in reverse order: look for `[::-1]` or a loop that runs backwards",
        np.flip,
    ),
    (
        "shifted",
        "the right {0}s, each one place too late",
        lambda a, axis: np.roll(a, 1, axis),
    ),
    (
        "shifted",
        "the right {0}s, each one place too early",
        lambda a, axis: np.roll(a, -1, axis),
    ),
    (
        "running-sums",
        "sums, each {0} of the right ones so far: set the sum back to 0",
        np.cumsum,
    ),
    ("sorted", "right, but sorted along each {1}: look for a `sort`", np.sort),
    (
        "sorted",
        "right, but sorted along each {1}: look for a `sort`",
        lambda a, axis: -np.sort(-a, axis),
    ),
    (
        "reshaped",
        "right, but a `reshape` has moved them: use `.T`",
        lambda a, axis: a.T.reshape(a.shape),
    ),
)
FORMS: Mapping[str, Change] = {
    "": lambda a: a,
    " transposed": lambda a: a.T,
    "'s first row": lambda a: a[:1],
    "'s mean over the rows": lambda a: a.sum(0, keepdims=True) / max(1, len(a)),
    "'s sum over the rows": lambda a: a.sum(0, keepdims=True),
}
WAYS: Mapping[str, Callable[[Array, Array], Array]] = {
    "{0} is added to it": lambda right, a: right + a,
    "{0} is subtracted from it, or never added": lambda right, a: right - a,
    "it is multiplied by {0} once too often (`@`)": lambda right, a: a @ right,
    "it is multiplied by {0} from the right, once too often (`@`)": lambda right, a: (
        right @ a
    ),
}


def _made(wrongs: Wrongs) -> Reason | None:
    """The same was done to all right numbers, to each by itself or along an axis, or with an argument."""
    words = axes_of(wrongs)
    diagnosis = _of_each_number(wrongs)
    if diagnosis is not None:
        return diagnosis
    for (label, says, along), (axis, word) in itertools.product(ALONG, words):
        if all_came_as(wrongs, (along(one.wanted, axis) for one in wrongs)):
            return labelled(
                label, f"Your numbers are {says.format(word, words[axis - 1][1])}"
            )
    for name, (said, form), (text, way) in itertools.product(
        named_in(wrongs), FORMS.items(), WAYS.items()
    ):
        if all_came_as(
            wrongs, (way(one.wanted, form(one.named[name])) for one in wrongs)
        ):
            title = wrongs[0].title
            says = f"{title[0].upper()}{title[1:]} would be right, but {text.format(name + said)}"
            return labelled("argument-too-often", says)
    return None


Line = tuple[Array, Array]


def _distinct(array: Array, axis: int | None, rounding: float) -> Array:
    """Count the numbers of an array, or of each group along an axis, that differ by more than rounding."""
    steps = np.diff(np.sort(array, axis=axis), axis=-1 if axis is None else axis)
    distinct: Array = 1 + (steps > rounding * np.abs(array).max()).sum(axis=axis)
    return distinct


def _fit(one: Wrong, axis: int | None, kind: str) -> Line:
    """Slope and offset of the line over the right numbers on which those of each group lie."""
    got, wanted = one.got, one.wanted
    spread = wanted - wanted.mean(axis, keepdims=True) * (kind == "both")
    slope = (spread * got).sum(axis, keepdims=True) / (spread**2).sum(
        axis, keepdims=True
    )
    slope = np.ones_like(slope) if kind == "offset" else slope
    return slope, (got - slope * wanted).mean(axis, keepdims=True) * (kind != "factor")


def _lines(wrongs: Wrongs, axis: int | None, kind: str) -> list[Line] | None:
    """The lines of all arrays, where all numbers lie on them and nothing is multiplied by 0."""
    lines = [_fit(one, axis, kind) for one in wrongs]
    fitted = sum((1 + (kind == "both")) * slope.size for slope, _ in lines)
    distinct = sum(
        int(_distinct(wrong.wanted, axis, wrong.rounding).sum()) for wrong in wrongs
    )
    are_on = all(
        one.came_as(a * one.wanted + b)
        for one, (a, b) in zip(wrongs, lines, strict=True)
    )
    is_shown = all(
        np.abs(a).min() > LEAST_SHOWN and np.abs(a).max() < LARGEST_SHOWN
        for a, _ in lines
    )
    is_sure = distinct - fitted >= LEAST_SPARE
    return lines if are_on and is_shown and is_sure else None


def _off_by_one(wrongs: Wrongs) -> Reason | None:
    """All numbers are off by one factor, or by one summand."""
    if lines := _lines(wrongs, None, "factor"):
        times = factor_in_words([float(slope.item()) for slope, _ in lines], wrongs)
        are_shares = all(abs(one.wanted.sum() - 1) <= NEARLY for one in wrongs)
        times = "but for a factor: divide by the sum" if are_shares else times
        return labelled("constant-factor", f"Every number is the right one {times}.")
    if lines := _lines(wrongs, None, "offset"):
        offsets = [float(offset.item()) for _, offset in lines]
        is_shown = (
            is_one_number(offsets) and LEAST_SHOWN < abs(offsets[0]) < LARGEST_SHOWN
        )
        off = f"{abs(offsets[0]):.4g} too {'large' if offsets[0] > 0 else 'small'}"
        off = off if is_shown else "off by one number"
        return labelled(
            "constant-offset",
            f"Every number is {off}: look at what is added or subtracted",
        )
    return None


def _off_in_groups(
    wrongs: Wrongs,
    kinds: Sequence[str] = tuple(KINDS),
    axes: Sequence[tuple[int, str]] | None = None,
) -> Reason | None:
    """The numbers of each row or column are off by a factor, by a summand, or by both, of its own."""
    if wrongs[0].got.ndim != 2:
        return None
    for kind, (at, word) in itertools.product(
        kinds, axes_of(wrongs) if axes is None else axes
    ):
        what = KINDS[kind]
        if _lines(wrongs, 1 - at, kind):
            are_shares = all(
                np.abs(one.wanted.sum(1 - at) - 1).max() <= NEARLY for one in wrongs
            )
            look = f"look at what each {word} is scaled or shifted by"
            look = (
                f"divide each {word} by its own sum"
                if are_shares and kind == "factor"
                else look
            )
            says = f"Each {word} of {wrongs[0].title} is right but for {what} of its own: {look}"
            return labelled(f"{kind}-per-{word}", says)
    return None


def _alike(wrongs: Wrongs) -> Reason | None:
    """All rows, or all columns, are the same, and they should not be."""
    for axis, word in axes_of(wrongs)[:2] if wrongs[0].got.ndim > 1 else ():
        # A single row is always alike, and rows that should be alike are no fault.
        differing = [
            wrong
            for wrong in wrongs
            if not _are_alike(wrong.wanted, axis, wrong.rounding)
        ]
        agreeing = sum(
            wrong.got.size - wrong.got.size // wrong.got.shape[axis]
            for wrong in differing
        )
        are_alike = all(_are_alike(wrong.got, axis, wrong.rounding) for wrong in wrongs)
        if are_alike and agreeing >= LEAST_SPARE:
            says = f"All {word}s of {wrongs[0].title} are the same, and they should differ."
            return labelled(
                "all-alike",
                f"{says} Is one array put in every place, or an index never changed?",
            )
    return None


def _never_filled(wrongs: Wrongs) -> Reason | None:
    """Find rows or columns of which all numbers are 0 in every wrong array, though none should be."""
    if wrongs[0].got.ndim != 2:
        return None
    for axis, word in axes_of(wrongs):
        empty = [
            np.logical_and(
                ~np.any(wrong.got, axis=1 - axis), np.any(wrong.wanted, axis=1 - axis)
            )
            for wrong in wrongs
        ]
        count = sum(int(lines.sum()) for lines in empty)
        # A single line may be 0 by chance, as a product with a row of zeros is.
        if count >= LEAST_RIGHT and all(
            lines.any() and not lines.all() for lines in empty
        ):
            which = f"Some {word}s"
            for start, name in ((0, "first"), (1, "second")):
                if all(
                    lines[start::2].all() and not lines[1 - start :: 2].any()
                    for lines in empty
                ):
                    which = f"Every second {word}, from the {name} on,"
            be = "are" if which.startswith("Some") else "is"
            says = f"{which} of {wrongs[0].title} {be} 0 throughout, and should not be"
            return labelled(
                "never-filled", f"{says}: where is something written there?"
            )
    return None


def _are_alike(array: Array, axis: int, rounding: float) -> bool:
    """Whether all rows, or what else lies along an axis, hold the same numbers."""
    return bool(np.ptp(array, axis=axis).max() <= rounding * np.abs(array).max())
