"""A judged case as a record, from which terminals and pages show what came out beside what was expected.

It holds expected values and hidden inputs; students may see what it says of published and public cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from autograder.course.cases import ModuleCall
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import (
    MOST_PARTS,
    as_entries,
    of_one_shape,
    split,
    wrong_entries,
)
from autograder.verdict.describe import SUM_TOLERANCE
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Array

LARGEST_LIST = 10**5
DISTRIBUTIONS = ("weights", "softmax", "probabilit", "distribution")
"""What results are called whose rows or columns sum to 1 not just by chance."""
MOST_SUMS = 5
"""Sums of more rows than these are not listed."""


@dataclass(frozen=True, eq=False)
class Part:
    """What came in one place of an answer, and what was expected there; None where there is nothing.

    Where numbers of the expected shape came, ``difference`` is what came minus what was expected, with 0 for
    what is right.
    """

    name: str
    came: Any
    expected: Array | list[Any] | None
    difference: Array | None = None

    def telling(self) -> str:
        """Return one fact about wrong numbers: what all share, what they sum to, or how many differ."""
        if (
            self.difference is None
            or not isinstance(self.expected, np.ndarray)
            or not self.difference.any()
        ):
            return ""
        array = np.asarray(as_entries(self.came))
        odd = ~np.isfinite(array) & (self.difference != 0)
        if odd.any():
            return self._counted(
                odd, "are NaN or infinite" if np.isinf(array[odd]).any() else "are NaN"
            )
        if (
            array.size > 1
            and (array == array.flat[0]).all()
            and (self.expected != self.expected.flat[0]).any()
        ):
            first = array.flat[0]
            return f"all entries are {first if array.dtype.kind == 'b' else f'{first:.4g}'}"
        are_weights = any(word in self.name for word in DISTRIBUTIONS)
        sums = _sums(array, self.expected) if are_weights else ""
        return sums or self._counted(self.difference != 0, "differ")

    def _counted(self, marked: Array, verb: str) -> str:
        """Say how many entries are marked and, unless all are, the index of the first as Python writes it."""
        if marked.all():
            return f"all {marked.size} {verb}" if marked.size > 1 else ""
        place = [int(index) for index in np.argwhere(marked)[0]]
        is_list = isinstance(self.came, tuple | list) and len(place) > 1
        first = f"[{place[0]}]{place[1:]}" if is_list else str(place)
        return f"{marked.sum()} of {marked.size} {verb}, first at {first}"


@np.errstate(all="ignore")  # a student's numbers may be as large as they like
def _sums(array: Array, expected: Array) -> str:
    """Say what rows or columns sum to where each should sum to 1; nothing where they do."""
    ways = [
        axis for axis in (-1, -2) if expected.ndim >= -axis and expected.shape[axis] > 1
    ]
    due = [
        axis for axis in ways if np.abs(expected.sum(axis) - 1).max() <= SUM_TOLERANCE
    ]
    if len(due) != 1 or expected.min() < 0:  # of both, neither need be meant
        return ""
    sums = array.astype(np.float64).sum(due[0]).ravel()
    off = ~np.asarray(np.abs(sums - 1) <= SUM_TOLERANCE)
    lines = "entries" if array.ndim == 1 else {-1: "rows", -2: "columns"}[due[0]]
    told = [f"{one:.4g}" if far else "1" for one, far in zip(sums, off, strict=True)]
    if sums.size > MOST_SUMS:
        lines = f"{off.sum()} of {off.size} {lines}"
        told = [f"{one:.4g}" for one in sums[off][:MOST_SUMS]] + ["…"] * int(
            off.sum() > MOST_SUMS
        )
    return f"{lines} sum to {', '.join(told)} instead of 1" if off.any() else ""


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """A case as a check judged it: its call, the value and tolerance that counted there, and the answer."""

    known: KnownCase
    answer: Answer
    names: Sequence[str] = ()

    def inputs(self, parameters: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
        """Yield what was given for each parameter, by its name; weights loaded into a module are left out.

        The last parameter of a module is the input.
        """
        call: Any = self.known.case.call
        for place, value in enumerate(call.args):
            yield (
                parameters[place]
                if place < len(parameters)
                else f"argument {place + 1}",
                value,
            )
        if isinstance(call, ModuleCall):
            yield parameters[-1] if parameters else "input", call.input

    def parts(self) -> Iterator[Part]:
        """Yield the parts of an expected tuple or list, or the one array, each beside what came there."""
        expected, value, names = self.known.expected, self.answer.value, self.names
        pairs: Any = [(value, expected)]
        items = split(value, expected) if isinstance(expected, list) else None
        if items and _shape(value) != _shape(expected):
            pairs = islice(zip(items, expected, strict=True), MOST_PARTS)
            names = [
                f"{names[0] if names else 'item'} {place}"
                for place in range(len(expected))
            ]
        elif isinstance(expected, tuple):
            came = split(value, expected) or (
                value if isinstance(value, tuple | list) else None
            )
            if came is None:  # one value stands in the last place that it fits
                own, *asked = map(_shape, (value, *expected))
                fitting = (place for place, shape in enumerate(asked) if shape == own)
                came = [*[None] * max(fitting, default=0), value]
            pairs = islice(zip_longest(came, expected), MOST_PARTS)
        for place, (own, right) in enumerate(pairs):
            name = names[place] if place < len(names) else "result"
            if isinstance(right, tuple):  # within a tuple
                inner = (
                    replace(self.known, expected=right),
                    replace(self.answer, value=own),
                )
                yield from JudgedCase(
                    *inner, [f"{name} {i}" for i in range(len(right))]
                ).parts()
                continue
            pair = of_one_shape(own, right)
            if pair is None:
                yield Part(
                    name, own, right if isinstance(right, list) else as_entries(right)
                )
                continue
            array, wanted = pair
            wrong = wrong_entries(array, wanted, self.known.tolerance)
            with np.errstate(
                all="ignore"
            ):  # a student's numbers may be as large as they like
                difference = np.where(
                    wrong, array.astype(np.float64) - wanted.astype(np.float64), 0
                )
            yield Part(name, own, wanted, difference)


def _shape(value: Any) -> tuple[int, ...] | None:
    return getattr(as_entries(value, LARGEST_LIST), "shape", None)


def window(array: Array, rows: int, columns: int, first: int = 0) -> tuple[str, Array]:
    """Return so many rows and columns of an array, as two axes, and which of its entries they are.

    They begin at the corner or, where the entry ``first`` of the flattened array would be missing, with that.
    Nothing is said where they are all. Of more than two axes those of length 1 are left out.
    """
    small = array.squeeze() if array.ndim > 2 else array
    table = np.atleast_2d(small)
    *outer, row, column = (int(place) for place in np.unravel_index(first, table.shape))
    top, left = row if row >= rows else 0, column if column >= columns else 0
    cut = table[tuple(outer)][top : top + rows, left : left + columns]
    indices = [
        *map(str, outer),
        f"{top}:{top + len(cut)}",
        f"{left}:{left + cut.shape[1]}",
    ]
    return (
        f"[{', '.join(indices[table.ndim - small.ndim :])}]"
        if cut.size < table.size
        else "",
        cut,
    )
