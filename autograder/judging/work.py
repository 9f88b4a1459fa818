"""What grading keeps of a submission beside its result, for pages: source, what came out, behaviour.

Everything here is plain data, so that it can be stored and sent. Numbers are kept as the text that pages
show. It holds expected values and hidden inputs, and is for the staff; only ``Work.shown`` is for students.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace

import msgspec

MOST_SOURCE = 60_000
"""Characters of source that are kept; a student's file has 3,000."""


@dataclass(frozen=True)
class Grid:
    """A value as text: what it is, and of an array rows of cells with one space between two cells.

    ``where`` says which entries of a larger array these are, as in ``[0:8, 0:8]``; blank where they are all.
    """

    kind: str
    rows: tuple[str, ...] = ()
    where: str = ""


@dataclass(frozen=True)
class Shown:
    """One part of an answer beside what was expected, all three of the same window of the array.

    Cells of ``difference`` are ``·`` for what is right and otherwise carry a sign, such as ``+0.21`` and
    ``−1.3``. There is none where the shapes differ.
    """

    name: str
    came: Grid
    expected: Grid
    difference: Grid | None = None


@dataclass(frozen=True)
class Exhibit:
    """One case that was judged wrong: the call, what was given, what came out beside what was expected.

    ``group`` is that of the case: published, public, hidden or fresh. ``error`` stands where no value came.
    ``checks`` are the names of the failed checks that it stands for.
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


@dataclass(frozen=True)
class Behaviour:
    """What wrong answers to one task are, over all its stored cases, small enough to keep for a whole class.

    ``form`` must be equal for answers to be the same: a digest of types, shapes, places of numbers that are
    not finite, and errors with the line that raised. ``sketch`` holds numbers that lie within 1 of each other
    where the answers agree within the tolerances.
    """

    task: str
    form: str
    sketch: tuple[float, ...] = ()


@dataclass(frozen=True)
class Work:
    """What is kept of one submission in one homework.

    ``source`` is the code as it ran, of a notebook its code cells under lines such as ``# In [3]``.
    ``shown`` comes from a run that was given published and public cases alone, so that a submission cannot
    carry hidden inputs out in it: of these exhibits a student sees all.
    """

    file: str = ""
    source: str = ""
    exhibits: tuple[Exhibit, ...] = ()
    shown: tuple[Exhibit, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()

    def packed(self) -> bytes:
        """Return it as bytes for a database."""
        short = replace(self, source=self.source[:MOST_SOURCE])
        return zlib.compress(json.dumps(short, default=vars).encode(), 6)


def unpacked(data: bytes) -> Work:
    """Return the work that ``packed`` wrote."""
    return msgspec.convert(json.loads(zlib.decompress(data)), Work)
