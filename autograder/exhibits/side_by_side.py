"""An exhibit as text for terminals: the call, the most telling fact, and the answer next to the expected value.

Wrong entries carry a ``*``, so that no colour is needed.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import zip_longest

from autograder.language import say
from autograder.verdict.work import RIGHT, Exhibit, Grid, Shown

GAP = "    "
WRONG = re.compile(r"\*\S+")
QUOTES = ("'", '"')
YOURS = "yours"
Block = tuple[str, Sequence[Sequence[str]]]
"""A title, and rows of cells below or next to it."""
Places = Sequence[tuple[int, int]]
"""Rows and columns of entries."""


def sentence(exhibit: Exhibit, most: int = 400) -> str:
    """Return the call with the shapes of its arrays, and the most telling fact, which is never cut.

    Args:
        exhibit: the failed case.
        most: letters of the sentence; the call is cut where it would be longer.
    """
    part = _first_wrong(exhibit)
    fact = ""
    if part is not None:
        answer = part.came
        expected = part.expected
        has_numbers = answer.rows and expected.rows
        if part.difference is None and not has_numbers:
            kind = answer.kind.removesuffix(" (None)")
            fact = say(
                ": got {kind}, expected {expected}",
                kind=kind,
                expected=expected.kind,
            )
        elif part.says:
            fact = f": {part.says}"
        is_gradient = part.name.startswith("gradient")
        if is_gradient or len(exhibit.parts) > 1:
            fact = f"; {part.name}{fact}"
    room = max(20, most - len(fact))
    call = textwrap.shorten(exhibit.heading, room, placeholder=" …")
    if not fact:
        return say("The call was {call}", call=call)
    return call + fact


def grids(
    exhibit: Exhibit, width: int, height: int = 99, paint: Callable[[str], str] = str
) -> list[str]:
    """Return lines that show the first wrong part of an exhibit; none where no numbers came.

    The inputs are next to it where there is room. Where there is less, it is cut around its first wrong
    entry.

    Args:
        exhibit: the failed case.
        width: letters of a line.
        height: lines.
        paint: puts a colour on a wrong entry.
    """
    part = _first_wrong(exhibit)
    if part is None or height < 2:
        return []
    answer = part.came
    expected = part.expected
    if not answer.rows or not expected.rows:
        return []
    wrong = _wrong_places(part)
    title = say(YOURS)
    expected_title = say("expected")
    if part.difference is None:  # the shapes differ: say them
        shape = _shape(answer)
        expected_shape = _shape(expected)
        title = f"{title}, {shape}"
        expected_title = f"{expected_title}, {expected_shape}"
    layout = _beside
    is_a_row = len(answer.rows) == 1
    if is_a_row and len(expected.rows) == 1:
        layout = _below
    inputs: list[Block] = []
    for name, argument in exhibit.inputs:
        if argument.rows:
            block = (name, _cells(argument))
            inputs.append(block)

    # All columns with the inputs, then all without them, then fewer and fewer.
    rows = [*_cells(answer), *_cells(expected)]
    all_columns = max(map(len, rows))
    attempts: list[tuple[list[Block], int]] = [(inputs, all_columns)]
    for columns in range(all_columns, 0, -1):
        attempts.append(([], columns))
    most_rows = height - 1  # below the titles
    for blocks, columns in attempts:
        answer_block = _cut(title, answer, wrong, most_rows, columns)
        expected_block = _cut(expected_title, expected, wrong, most_rows, columns)
        shown_blocks = [*blocks, answer_block, expected_block]
        lines = layout(shown_blocks)
        widest = max(map(len, lines))
        if len(lines) <= height and widest <= width:
            break

    def painted(wrong_entry: re.Match[str]) -> str:
        return paint(wrong_entry[0])

    painted_lines = []
    for line in lines[:height]:
        cut_line = line[:width]
        painted_line = WRONG.sub(painted, cut_line)
        painted_lines.append(painted_line)
    return painted_lines


def aligned(grid: Grid) -> list[str]:
    """Return the rows of a grid as text, with decimal points below each other."""
    cells = _cells(grid)
    return _align(cells)


def _cells(grid: Grid) -> list[list[str]]:
    return [row.split(" ") for row in grid.rows]


def _shape(grid: Grid) -> str:
    before_shape = say("an array of {shape}", shape="")
    return grid.kind.removeprefix(before_shape)


def _first_wrong(exhibit: Exhibit) -> Shown | None:
    for part in exhibit.parts:
        if part.difference is None or part.difference.rows:
            return part
    return None


def _wrong_places(part: Shown) -> Places:
    places: list[tuple[int, int]] = []
    if part.difference is None:
        return places
    rows = _cells(part.difference)
    for row, signs in enumerate(rows):
        for column, sign in enumerate(signs):
            if sign != RIGHT:
                places.append((row, column))
    return places


def _cut(title: str, grid: Grid, wrong: Places, rows: int, columns: int) -> Block:
    """Return so many rows and columns of a grid around the first wrong entry.

    The title says so where that is not the whole array. Only the student's own entries are marked.
    """
    all_cells = _cells(grid)
    top = 0
    start = 0
    if wrong:
        first_row, first_column = wrong[0]
        top = first_row // rows * rows
        start = first_column // columns * columns
    if title == say(YOURS):
        for row, column in wrong:
            entry = all_cells[row][column]
            all_cells[row][column] = f"*{entry}"
    bottom = top + rows
    end = start + columns
    cells = [row[start:end] for row in all_cells[top:bottom]]
    if grid.where or cells != all_cells:
        title = say("{title}, in part", title=title)
    return title, cells


def _beside(blocks: Sequence[Block]) -> list[str]:
    """Set blocks side by side, each with its title above it."""
    columns = []
    widths = []
    for title, cells in blocks:
        column = [title, *_align(cells)]
        columns.append(column)
        widths.append(max(map(len, column)))
    lines = []
    for pieces in zip_longest(*columns, fillvalue=""):
        padded = map(str.ljust, pieces, widths)
        line = GAP.join(padded)
        lines.append(line.rstrip())
    return lines


def _below(blocks: Sequence[Block]) -> list[str]:
    """Set the first row of each block below each other, after its title."""
    titles = []
    first_rows = []
    for title, cells in blocks:
        titles.append(title)
        first_rows.append(cells[0])
    margin = max(map(len, titles))
    aligned_rows = _align(first_rows)
    lines = []
    for title, row in zip(titles, aligned_rows, strict=True):
        line = f"{title:<{margin}}  {row}"
        lines.append(line.rstrip())
    return lines


def _align(cells: Sequence[Sequence[str]]) -> list[str]:
    """Join the cells of each row, with the decimal points of each column below each other."""
    rows = []
    for row in cells:
        split_row = list(map(_around_the_point, row))
        rows.append(split_row)
    widths = []
    for column in zip_longest(*rows, fillvalue=("", "")):
        wholes, fractions = zip(*column, strict=True)
        before = max(map(len, wholes))
        after = max(map(len, fractions))
        widths.append((before, after))
    lines = []
    for split_row in rows:
        padded = []
        for number, width in zip(split_row, widths, strict=False):
            whole, fraction = number
            before, after = width
            left = whole.rjust(before)
            right = fraction.ljust(after)
            padded.append(left + right)
        lines.append("  ".join(padded))
    return lines


def _around_the_point(cell: str) -> tuple[str, str]:
    """Split a number before its decimal point; NaN and infinity stand after it."""
    if cell.endswith(("n", "f")):
        return "", cell
    content = cell.lstrip("*…")
    if content.startswith(QUOTES):
        return "", cell  # a text, which may hold points
    whole, point, fraction = cell.partition(".")
    return whole, point + fraction
