"""Facts that grading stores besides the result of a submission: source code, wrong cases, behaviour."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace

from autograder.language import say
from autograder.verdict.misfits import Misfit

MOST_SOURCE = 60_000
"""Characters of source that are kept; a student's file has 3,000."""
RIGHT = "·"
"""The cell of a difference that is right."""


@dataclass(frozen=True)
class Grid:
    """A value as text: what it is, and of an array rows of cells with one space between two cells.

    ``where`` says which entries of a larger array these are, as in ``[0:8, 0:8]``; blank where they are all.
    ``shape`` is the shape of an array, and its dtype if that is not of numbers; blank for other values.
    """

    kind: str
    rows: tuple[str, ...] = ()
    where: str = ""
    shape: str = ""


@dataclass(frozen=True)
class Shown:
    """One part of an answer next to what was expected, all three of the same window of the array.

    Cells of ``difference`` are ``RIGHT`` for what is right and otherwise carry a sign, such as ``+0.21`` and
    ``−1.3``; its kind is ``3 of 9 wrong`` or, of a part without a fault, ``right``: then no grid has
    rows. There is none where the shapes differ. Items of a tuple that came for one array expect nothing.
    ``says`` is one fact about what is wrong, such as ``rows sum to 0.78, 1.1 instead of 1``.
    """

    name: str
    came: Grid
    expected: Grid
    difference: Grid | None = None
    says: str = ""


@dataclass(frozen=True)
class Exhibit:
    """One case that was judged wrong: the call, its arguments, and the result next to the expected value.

    ``group`` is that of the case: published, public, hidden or fresh. ``error`` stands where no value came.
    ``misfit`` is what did not fit, where shapes did not.
    ``checks`` are the names of the failed checks that it stands for. ``paste`` is what students type to get
    the arguments; there is none for hidden cases.
    """

    task: str
    case: str
    group: str
    call: str
    tolerance: float
    inputs: tuple[tuple[str, Grid], ...] = ()
    parts: tuple[Shown, ...] = ()
    error: str = ""
    checks: tuple[str, ...] = ()
    paste: str = ""
    misfit: Misfit | None = None

    @property
    def heading(self) -> str:
        """The call and the shapes of its arrays, as in ``softmax(x) with x (3, 4)``."""
        if not self.inputs:
            return self.call
        shapes = []
        for name, value in self.inputs:
            shapes.append(f"{name} {_shape_or_kind(value)}")
        return say("{call} with {shapes}", call=self.call, shapes=", ".join(shapes))


ARRAYS = (
    "an array of {shape}",
    "a tensor of {shape}",
    "a masked array of {shape}",
)
"""What values with a shape are called."""


def _shape_or_kind(grid: Grid) -> str:
    """Return the shape of an array, or what another value is.

    Of grids that were stored before they had a ``shape``, it stands only at the end of what they are.
    """
    if grid.shape:
        return grid.shape
    before_sizes = say("shape {shape}", shape="")
    for array in ARRAYS:
        before_shape = say(array, shape=before_sizes)
        if grid.kind.startswith(before_shape):
            return grid.kind.removeprefix(before_shape)
    return grid.kind


@dataclass(frozen=True)
class Behaviour:
    """The wrong answers to one task on all its stored cases, small enough to store for a whole class.

    ``form`` must be equal for answers to be the same: a digest of types, shapes, places of numbers that are
    not finite, and errors with the line that raised. ``sketch`` holds numbers in tolerances that are close to
    each other where the answers agree, see ``behaviour.py``.
    """

    task: str
    form: str
    sketch: tuple[float, ...] = ()


@dataclass(frozen=True)
class Work:
    """Stored facts about one submission in one homework.

    ``source`` is the code as it ran, of a notebook its code cells under lines such as ``# In [3]``.
    ``shown`` is made of answers to public cases from before there were hidden inputs, so that a submission
    cannot carry these out in it: of these exhibits a student sees all.
    """

    file: str = ""
    source: str = ""
    exhibits: tuple[Exhibit, ...] = ()
    shown: tuple[Exhibit, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()

    def without_behaviours(self) -> Work:
        """Return what is stored of it in one piece: the source may be shorter, and behaviours are in groups."""
        return replace(self, source=self.source[:MOST_SOURCE], behaviours=())

    def packed(self) -> bytes:
        """Return it as bytes for a database."""
        # Students' machines import this module, and have no msgspec.
        short = replace(self, source=self.source[:MOST_SOURCE])
        return zlib.compress(json.dumps(short, default=vars).encode(), 6)


def unpacked(data: bytes) -> Work:
    """Return the work that ``packed`` wrote."""
    import msgspec  # students' checks do without it

    return msgspec.convert(json.loads(zlib.decompress(data)), Work)
