"""Parts that several pictures share: grids of numbers, bars, boxes with words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from autograder.handouts.colours import DEEP, GREY, PAPER, QUIET, ink_on, shade
from autograder.handouts.matrix import Matrix
from autograder.handouts.shapes import Box, Shape, Text

CELL = 50.0
HALF_LETTER = 0.35  # of a font's size: from the middle of a small letter to its base line
SMALL = 14.0


def grid(
    matrix: Matrix,
    x: float,
    y: float,
    colour: Callable[[int, int, float], str] = lambda row, column, number: PAPER,
    cell: float = CELL,
    height: float | None = None,
) -> Iterator[Shape]:
    """Yield a matrix as cells with numbers, its upper left cell at (x, y), its labels left and above."""
    height = height or 0.72 * cell
    for i, row in enumerate(matrix.grid()):
        for j, words in enumerate(row):
            fill = colour(i, j, float(words))
            yield Box(x + j * cell, y + i * height, cell, height, fill)
            yield _centred(x + (j + 0.5) * cell, y + (i + 0.5) * height, words, ink_on(fill), mono=True)
    for j, label in enumerate(matrix.columns):
        yield Text(x + (j + 0.5) * cell, y - 6, label, SMALL, QUIET)
    for i, label in enumerate(matrix.rows):
        yield Text(x - 6, y + (i + 0.5) * height + HALF_LETTER * SMALL, label, SMALL, QUIET, "end")


def heat(row: int, column: int, number: float) -> str:
    """The colour of a cell that holds a weight between 0 and 1."""
    return shade(number)


def bars(
    texts: Sequence[str], labels: Sequence[str], x: float, y: float, width: float, height: float
) -> Iterator[Shape]:
    """Yield upright bars for printed numbers from 0 to 1, standing on the line from (x, y) to the right."""
    step = width / len(texts)
    for i, (words, label) in enumerate(zip(texts, labels, strict=True)):
        middle, tall = x + (i + 0.5) * step, float(words) * height
        yield Box(middle - 0.3 * step, y - height, 0.6 * step, height, GREY, GREY)
        yield Box(middle - 0.3 * step, y - tall, 0.6 * step, tall, DEEP, DEEP)
        yield Text(middle, y - height - 6, words, SMALL, mono=True)
        yield Text(middle, y + 18, label, SMALL, QUIET)


def labelled_box(
    x: float, y: float, width: float, height: float, lines: Sequence[str], fill: str
) -> Iterator[Shape]:
    """Yield a box with lines of words in its middle, the first one bold."""
    yield Box(x, y, width, height, fill, radius=6)
    for i, words in enumerate(lines):
        below = (i - (len(lines) - 1) / 2) * 1.3 * SMALL
        yield _centred(
            x + width / 2, y + height / 2 + below, words, ink_on(fill), bold=i == 0 and len(lines) > 1
        )


def _centred(x: float, y: float, words: str, fill: str, mono: bool = False, bold: bool = False) -> Text:
    return Text(x, y + HALF_LETTER * SMALL, words, SMALL, fill, mono=mono, bold=bold)
