"""An exhibit as text: the call, the fact that tells most, and what came beside what was expected.

Entries that are off carry a ``*``, so that no colour is needed.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import zip_longest

from autograder.exhibits.exhibits import RIGHT
from autograder.verdict.work import Exhibit, Grid, Shown

GAP = "    "
OFF = re.compile(r"\*\S+")
Table = tuple[str, Sequence[Sequence[str]]]
"""A title, and rows of cells."""


def sentence(exhibit: Exhibit, most: int = 400) -> str:
    """Return the call with the shapes of its arrays, and the fact that tells most, which is never cut."""
    part = _first_wrong(exhibit)
    fact = f": {part.says}" if part and part.says else ""
    if part and part.difference is None and not (part.came.rows and part.expected.rows):
        fact = f": {part.came.kind.removesuffix(' (None)')} came, expected is {part.expected.kind}"
    if part and (len(exhibit.parts) > 1 or part.name.startswith("gradient")):
        fact = f"; {part.name}{fact}"
    start = "" if fact else "The call was "
    return (
        start
        + textwrap.shorten(exhibit.heading, max(20, most - len(fact)), placeholder=" …")
        + fact
    )


def grids(
    exhibit: Exhibit, width: int, height: int = 99, paint: Callable[[str], str] = str
) -> list[str]:
    """Return lines that show the first part that is wrong, at most so many and so wide.

    Inputs stand beside it where there is room; where there is less, it is cut around the first entry that is
    off. There are no lines where no numbers came. ``paint`` puts a colour on what is off.
    """
    part = _first_wrong(exhibit)
    if part is None or not part.came.rows or not part.expected.rows or height < 2:
        return []
    signs = part.difference.rows if part.difference else ()
    off = [
        (i, j)
        for i, row in enumerate(signs)
        for j, sign in enumerate(row.split(" "))
        if sign != RIGHT
    ]
    pair = [("yours", part.came), ("expected", part.expected)]
    if part.difference is None:
        pair = [
            (f"{title}, {one.kind.removeprefix('an array of ')}", one)
            for title, one in pair
        ]
    layout = _beside if max(len(one.rows) for _, one in pair) > 1 else _below
    given = [(name, _split(one)) for name, one in exhibit.inputs if one.rows]
    wide = max(len(row) for _, one in pair for row in _split(one))
    for inputs, columns in [
        (given, wide),
        *(([], columns) for columns in range(wide, 0, -1)),
    ]:
        cut = [_cut(title, one, off, height - 1, columns) for title, one in pair]
        lines = layout([*inputs, *cut])
        if len(lines) <= height and max(map(len, lines)) <= width:
            break
    return [
        OFF.sub(lambda found: paint(found[0]), line[:width]) for line in lines[:height]
    ]


def aligned(grid: Grid) -> list[str]:
    """Return the rows of a grid as text, with decimal points one below another."""
    return _rows(_split(grid))


def _split(grid: Grid) -> list[list[str]]:
    return [row.split(" ") for row in grid.rows]


def _first_wrong(exhibit: Exhibit) -> Shown | None:
    return next(
        (one for one in exhibit.parts if one.difference is None or one.difference.rows),
        None,
    )


def _cut(
    title: str, grid: Grid, off: Sequence[tuple[int, int]], rows: int, columns: int
) -> Table:
    """Return so many rows and columns with the first entry that is off; the title says if that is not all."""
    (row, column), *_ = (*off, (0, 0))
    top, left = row // rows * rows, column // columns * columns
    marked = set(off if title == "yours" else ())
    numbered = (enumerate(row) for row in _split(grid))
    cells = [
        ["*" * ((i, j) in marked) + cell for j, cell in row]
        for i, row in enumerate(numbered)
    ]
    kept = [row[left : left + columns] for row in cells[top : top + rows]]
    return title + ", in part" * bool(grid.where or kept != cells), kept


def _beside(tables: Sequence[Table]) -> list[str]:
    blocks = [[title, *_rows(cells)] for title, cells in tables]
    widths = [max(map(len, block)) for block in blocks]
    return [
        GAP.join(map(str.ljust, line, widths)).rstrip()
        for line in zip_longest(*blocks, fillvalue="")
    ]


def _below(tables: Sequence[Table]) -> list[str]:
    """The first row of each table, below each other."""
    margin = max(len(title) for title, _ in tables)
    lines = _rows([cells[0] for _, cells in tables])
    return [
        f"{title:<{margin}}  {line}".rstrip()
        for (title, _), line in zip(tables, lines, strict=True)
    ]


def _rows(cells: Sequence[Sequence[str]]) -> list[str]:
    halves = [
        [
            ("", one)
            if one[-1] in "nf"
            else one.replace(".", " .", 1).partition(" ")[::2]
            for one in row
        ]
        for row in cells  # NaN and infinity are aligned to the point as well
    ]
    columns = zip_longest(*halves, fillvalue=("", ""))
    widths = [
        [max(map(len, half)) for half in zip(*column, strict=True)]
        for column in columns
    ]
    pairs = (zip(row, widths, strict=False) for row in halves)
    return [
        "  ".join(a.rjust(m) + b.ljust(n) for (a, b), (m, n) in row) for row in pairs
    ]
