"""Pictures of handouts: shapes, helpers that draw matrices and bars, and SVG with the same bytes each time.

Text stays text, dark on an opaque ground that is light everywhere. In dark mode a page inverts it, white not
quite to black but to the colour of the page, so words are black to begin with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograder.handouts.numbers import Matrix
from autograder.templates import render

INK = "#000000"
QUIET = "#4a4a4a"
PAPER = "#ffffff"
LINE = "#555555"
BLUE, ORANGE, GREEN, GREY = "#d6e6f5", "#fbe3c4", "#d5eed8", "#eeeeee"
DEEP = "#08488a"
FULL = "#6fa8dc"
"""Light enough for INK on it, and for its inversion in dark mode."""
TOKENS = (BLUE, ORANGE, GREEN)
CELL = 50.0
HALF_LETTER = 0.35
"""Of a font's size: from the middle of a small letter to its base line."""
SMALL = 14.0
INDEX = re.compile(r"(?<=\b[A-Za-zΩ])_(\w+)")
"""The index of one letter, as in d_k: not of self_attn."""


@dataclass(frozen=True)
class Text:
    """Words at a point of their base line; ``anchor`` is ``start``, ``middle`` or ``end``."""

    x: float
    y: float
    words: str
    size: float = 16
    fill: str = INK
    anchor: str = "middle"
    bold: bool = False
    mono: bool = False


@dataclass(frozen=True)
class Box:
    """A rectangle, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str = PAPER
    stroke: str = LINE
    radius: float = 0


@dataclass(frozen=True)
class Path:
    """A line through points, with a tip at its end if it is an arrow."""

    points: Sequence[tuple[float, float]]
    arrow: bool = True

    @classmethod
    def horizontal(cls, y: float, start: float, end: float) -> Path:
        """Return an arrow at this height, from one x to another."""
        return cls([(start, y), (end, y)])

    @classmethod
    def vertical(cls, x: float, start: float, end: float) -> Path:
        """Return an arrow at this x, from one height to another."""
        return cls([(x, start), (x, end)])


Shape = Text | Box | Path


@dataclass(frozen=True)
class Picture:
    """Shapes in drawing order on an opaque ground, with a title and a text alternative.

    ``description`` says what the picture shows to someone who does not see it, in whole sentences.

    Raises:
        ValueError: the title or the description is missing.
    """

    width: float
    height: float
    title: str
    description: str
    shapes: Sequence[Shape]

    def __post_init__(self) -> None:
        if not self.title.strip() or not self.description.strip():
            raise ValueError(
                "a picture needs a title and a description, for readers who cannot see it"
            )


def heading(x: float, y: float, words: str) -> Text:
    """Return bold words, in the middle above a part of the picture."""
    return Text(x, y, words, bold=True)


def note(x: float, y: float, words: str, anchor: str = "middle") -> Text:
    """Return small, quiet words: what an arrow does, or what a part is."""
    return Text(x, y, words, SMALL, QUIET, anchor)


def grid(
    matrix: Matrix,
    x: float,
    y: float,
    colour: Callable[[int, int, float], str] = lambda row, column, number: PAPER,
    cell: float = CELL,
    height: float | None = None,
) -> Iterator[Shape]:
    """Yield a matrix as cells with numbers, its upper left cell at (x, y), its labels left and above."""
    if height is None:
        height = 0.72 * cell

    def middle_of_column(column: int) -> float:
        return x + (column + 0.5) * cell

    def base_of_row(row: int) -> float:
        return y + (row + 0.5) * height + HALF_LETTER * SMALL

    for row, texts in enumerate(matrix.grid()):
        for column, text in enumerate(texts):
            fill = colour(row, column, float(text))
            cell_x = x + column * cell
            cell_y = y + row * height
            yield Box(cell_x, cell_y, cell, height, fill)
            middle = middle_of_column(column)
            yield Text(middle, base_of_row(row), text, SMALL, mono=True)
    for column, label in enumerate(matrix.columns):
        yield Text(middle_of_column(column), y - 6, label, SMALL, QUIET)
    for row, label in enumerate(matrix.rows):
        yield Text(x - 6, base_of_row(row), label, SMALL, QUIET, "end")


def heat(row: int, column: int, number: float) -> str:
    """Return the colour of a cell that holds a weight: from white, for 0, to blue, for 1."""
    share = min(max(number, 0.0), 1.0)
    white = bytes.fromhex(PAPER[1:])
    blue = bytes.fromhex(FULL[1:])
    mixed = []
    for start, end in zip(white, blue, strict=True):
        mixed.append(round(start + (end - start) * share))
    return "#" + bytes(mixed).hex()


def bars(
    texts: Sequence[str],
    labels: Sequence[str],
    x: float,
    y: float,
    width: float,
    height: float,
) -> Iterator[Shape]:
    """Yield upright bars for printed numbers from 0 to 1, standing on the line from (x, y) to the right."""
    step = width / len(texts)
    for place, (text, label) in enumerate(zip(texts, labels, strict=True)):
        middle = x + (place + 0.5) * step
        bar_x = middle - 0.3 * step
        bar_width = 0.6 * step
        bar_height = float(text) * height
        yield Box(bar_x, y - height, bar_width, height, GREY, GREY)
        yield Box(bar_x, y - bar_height, bar_width, bar_height, DEEP, DEEP)
        yield Text(middle, y - height - 6, text, SMALL, mono=True)
        yield Text(middle, y + 18, label, SMALL, QUIET)


def labelled_box(
    x: float, y: float, width: float, height: float, lines: Sequence[str], fill: str
) -> Iterator[Shape]:
    """Yield a box with lines of words in its middle, the first one bold."""
    yield Box(x, y, width, height, fill, radius=6)
    for number, line in enumerate(lines):
        middle_number = (len(lines) - 1) / 2
        below_middle = (number - middle_number) * 1.3 * SMALL
        base = y + height / 2 + below_middle + HALF_LETTER * SMALL
        is_bold = number == 0 and len(lines) > 1
        yield Text(x + width / 2, base, line, SMALL, bold=is_bold)


def svg(picture: Picture) -> str:
    """Return the picture as an SVG document without an XML declaration, so that it can stand in HTML."""
    values = {
        "number": _number,
        "with_indices": _with_indices,
        "line": LINE,
        "paper": PAPER,
    }
    return render("autograder.authoring", "picture.svg", picture=picture, **values)


def _number(value: float) -> str:
    """Write a length to a tenth, so that the last bits of a computation are not drawn."""
    return f"{value:.1f}".removesuffix(".0")


def _with_indices(words: str) -> str:
    """Write words as SVG, in which d_k has its index below the line; a sign without width leads back up."""
    below = r'<tspan dy=".3em" font-size="75%">\1</tspan><tspan dy="-.225em">&#8203;</tspan>'
    return INDEX.sub(below, escape(words))
