"""A judged case as a record, from which terminals and pages show what came out beside what was expected.

It holds expected values and hidden inputs; students may see what it says of published and public cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.course import ModuleCall
from autograder.judging.comparison import MOST_PARTS, as_array, room_for, split, wrong_entries
from autograder.worker import Array

if TYPE_CHECKING:
    from autograder.judging.known import KnownCase
    from autograder.sandbox import Answer


@dataclass(frozen=True, eq=False)
class Part:
    """What came in one place of an answer, and what was expected there; None where there is nothing.

    Where numbers of the expected shape came, ``difference`` is what came minus what was expected, with 0 for
    what is right.
    """

    name: str
    came: Any
    expected: Array | None
    difference: Array | None = None


@dataclass(frozen=True, eq=False)
class Judged:
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
            yield parameters[place] if place < len(parameters) else f"argument {place + 1}", value
        if isinstance(call, ModuleCall):
            yield parameters[-1] if parameters else "input", call.input

    def parts(self) -> Iterator[Part]:
        """Yield the parts of an expected tuple, or the one array, each beside what came in its place."""
        expected, value = self.known.expected, self.answer.value
        pairs: Any = [(value, expected)]
        if isinstance(expected, tuple):
            came = split(value, expected) or (value if isinstance(value, tuple | list) else None)
            if came is None:  # one value stands in the last place that it fits
                own, *asked = (getattr(as_array(one), "shape", None) for one in (value, *expected))
                fitting = (place for place, shape in enumerate(asked) if shape == own)
                came = [*[None] * max(fitting, default=0), value]
            pairs = islice(zip_longest(came, expected), MOST_PARTS)
        for place, (own, right) in enumerate(pairs):
            name = self.names[place] if place < len(self.names) else "result"
            wanted = as_array(right)
            array = None if wanted is None else as_array(own, room_for(wanted))
            if array is None or wanted is None or array.shape != wanted.shape:
                yield Part(name, own, wanted)
                continue
            wrong = wrong_entries(array, wanted, self.known.tolerance)
            with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
                difference = np.where(wrong, array.astype(np.float64) - wanted.astype(np.float64), 0)
            yield Part(name, own, wanted, difference)


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
    indices = [*map(str, outer), f"{top}:{top + len(cut)}", f"{left}:{left + cut.shape[1]}"]
    return f"[{', '.join(indices[table.ndim - small.ndim :])}]" if cut.size < table.size else "", cut
