"""An exhibit as text: the call, one fact, and what came beside what was expected, as far as there is room.

Entries that are off carry a ``*``, so that no colour is needed.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from autograder.judging.work import RIGHT, Exhibit, Grid, Shown

GAP = "    "
LEAST_HEIGHT = 2
OFF = re.compile(r"\*\S+")


def sentence(exhibit: Exhibit, most: int = 400) -> str:
    """Return the call with the shapes of its arrays, and the fact that tells most, which is never cut."""
    part = _first_wrong(exhibit)
    if part is None:
        return f"The call was {textwrap.shorten(exhibit.heading, most - 13, placeholder=' …')}"
    fact = f": {part.says}" if part.says else ""
    if part.difference is None and part.expected.kind and not any(_shapes(part)):
        fact = f": {part.came.kind} came, expected is {part.expected.kind}"
    named = f"; {part.name}" if len(exhibit.parts) > 1 or part.name.startswith("gradient") else ""
    return (
        textwrap.shorten(exhibit.heading, max(20, most - len(named + fact)), placeholder=" …") + named + fact
    )


def grids(exhibit: Exhibit, width: int, height: int = 99, paint: Callable[[str], str] = str) -> list[str]:
    """Return lines that show the first part that is wrong, at most so many and so wide.

    Inputs stand beside it where there is room. Where there is less, the grids are cut around the first entry
    that is off. There are none where no numbers came. ``paint`` puts a colour on what is off.
    """
    part = _first_wrong(exhibit)
    if part is None or not part.came.rows or not part.expected.rows or height < LEAST_HEIGHT:
        return []
    titles = [
        f"{title} {shape}".rstrip() for title, shape in zip(("yours", "expected"), _shapes(part), strict=True)
    ]
    pair = [_Table.of(titles[0], part.came, part.difference), _Table.of(titles[1], part.expected)]
    given = [_Table.of(name, one) for name, one in exhibit.inputs if one.rows]
    layout = _below if all(len(one.rows) == 1 for one in pair) else _beside
    lines = next((made for made in (layout([*given, *pair]), layout(pair)) if _fits(made, width, height)), [])
    if not lines and _fits(_below(pair), width, height):
        lines = _below(pair)
    rows, columns = (height - 1 if layout is _beside else 1), max(len(one.rows[0]) for one in pair)
    while not lines:
        made = layout([one.cut(*pair[0].first_off, rows, columns) for one in pair])
        columns -= 1
        lines = made if columns == 0 or _fits(made, width, height) else []
    return [OFF.sub(lambda found: paint(found[0]), line[:width]) for line in lines]


def _first_wrong(exhibit: Exhibit) -> Shown | None:
    return next((one for one in exhibit.parts if one.difference is None or one.difference.rows), None)


def _shapes(part: Shown) -> list[str]:
    """The shapes of what came and of what was expected, where these differ; else nothing of either."""
    shapes = [one.kind.partition(" of shape ")[2] for one in (part.came, part.expected)]
    return shapes if part.difference is None and all(shapes) else ["", ""]


@dataclass(frozen=True)
class _Table:
    """A grid as cells, each with a sign in front; ``starts`` are the row and column at which it begins."""

    title: str
    rows: Sequence[Sequence[str]]
    outer: Sequence[str]
    starts: tuple[int, int]
    is_cut: bool

    @classmethod
    def of(cls, title: str, grid: Grid, difference: Grid | None = None) -> _Table:
        signs = difference.rows if difference else ()
        rows = [
            [
                f"*{cell}" if sign not in ("", RIGHT) else cell
                for cell, sign in zip_longest(row.split(" "), own.split(" "), fillvalue="")
            ]
            for row, own in zip_longest(grid.rows, signs, fillvalue="")
        ]
        indices = re.findall(r"[\d:]+", grid.where)
        starts = [0, 0, *(int(one.partition(":")[0]) for one in indices if ":" in one)]
        outer = [one for one in indices if ":" not in one]
        return cls(title, rows, outer, (starts[-2], starts[-1]), bool(indices))

    @property
    def first_off(self) -> tuple[int, int]:
        places = ((i, j) for i, row in enumerate(self.rows) for j, cell in enumerate(row) if cell[0] == "*")
        return next(places, (0, 0))

    def cut(self, row: int, column: int, rows: int, columns: int) -> _Table:
        """Return so many rows and columns of it, with this entry among them."""
        top = max(0, min(row, len(self.rows) - rows)) if row >= rows else 0
        left = max(0, min(column, len(self.rows[0]) - columns)) if column >= columns else 0
        kept = [own[left : left + columns] for own in self.rows[top : top + rows]]
        is_cut = self.is_cut or len(kept) < len(self.rows) or len(kept[0]) < len(self.rows[0])
        return replace(self, rows=kept, starts=(self.starts[0] + top, self.starts[1] + left), is_cut=is_cut)

    @property
    def heading(self) -> str:
        """The title, with the place of its entries where there are more."""
        if not self.is_cut:
            return self.title
        ends = [
            start + size for start, size in zip(self.starts, (len(self.rows), len(self.rows[0])), strict=True)
        ]
        if len(self.rows) == 1 and not self.outer:
            return f"{self.title}, {self.starts[1]}:{ends[1]}"
        places = (f"{start}:{end}" for start, end in zip(self.starts, ends, strict=True))
        return f"{self.title} [{', '.join((*self.outer, *places))}]"


def _aligned(tables: Sequence[_Table]) -> list[list[str]]:
    """The rows of tables as text: columns equally wide, and decimal points one below another."""
    rows = [row for one in tables for row in one.rows]
    ends = [max(map(_decimals, column)) for column in zip_longest(*rows, fillvalue="")]
    padded = [[_padded(cell, end) for cell, end in zip(row, ends, strict=False)] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*padded, fillvalue="")]
    lines = iter(["  ".join(map(str.rjust, row, widths)) for row in padded])
    return [[next(lines) for _ in one.rows] for one in tables]


def _decimals(cell: str) -> int:
    return len(cell) - cell.index(".") if "." in cell and "e" not in cell else 0


def _padded(cell: str, end: int) -> str:
    is_plain = cell[-1:].isdigit() and "e" not in cell
    return cell + " " * (end - _decimals(cell)) if is_plain else cell


def _beside(tables: Sequence[_Table]) -> list[str]:
    blocks = []
    for one in tables:
        lines = [one.heading, *_aligned([one])[0]]
        widest = max(map(len, lines))
        blocks.append([lines[0].ljust(widest), *(line.ljust(widest) for line in lines[1:])])
    blank = [" " * len(block[0]) for block in blocks]
    height = max(map(len, blocks))
    padded = [block + [empty] * (height - len(block)) for block, empty in zip(blocks, blank, strict=True)]
    return [GAP.join(line).rstrip() for line in zip(*padded, strict=True)]


def _below(tables: Sequence[_Table]) -> list[str]:
    margin = max(len(one.heading) for one in tables)
    return [
        f"{'' if number else one.heading:<{margin}}  {row}"
        for one, rows in zip(tables, _aligned(tables), strict=True)
        for number, row in enumerate(rows)
    ]


def _fits(lines: Sequence[str], width: int, height: int) -> bool:
    return len(lines) <= height and max(map(len, lines)) <= width
