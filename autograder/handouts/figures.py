"""Pictures of handouts: shapes, helpers that draw matrices and bars, and SVG with the same bytes each time.

Text stays text, dark on an opaque ground that is light everywhere; in dark mode a page inverts it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograder.handouts.numbers import Matrix
from autograder.templates import render

INK = "#1a1a1a"
QUIET = "#4a4a4a"
PAPER = "#ffffff"
LINE = "#555555"
BLUE, ORANGE, GREEN, GREY = "#d6e6f5", "#fbe3c4", "#d5eed8", "#eeeeee"
DEEP = "#08488a"
FULL = "#6fa8dc"  # light enough for INK on it, and for its inversion in dark mode
TOKENS = (BLUE, ORANGE, GREEN)
CELL = 50.0
HALF_LETTER = (
    0.35  # of a font's size: from the middle of a small letter to its base line
)
SMALL = 14.0
INDEX = re.compile(r"(?<=\b[A-Za-zΩ])_(\w+)")  # of one letter: not of self_attn


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
                "a picture needs a title and a description, for those who do not see it"
            )


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
            base = y + (i + 0.5) * height + HALF_LETTER * SMALL
            yield Text(x + (j + 0.5) * cell, base, words, SMALL, mono=True)
    for j, label in enumerate(matrix.columns):
        yield Text(x + (j + 0.5) * cell, y - 6, label, SMALL, QUIET)
    for i, label in enumerate(matrix.rows):
        yield Text(
            x - 6,
            y + (i + 0.5) * height + HALF_LETTER * SMALL,
            label,
            SMALL,
            QUIET,
            "end",
        )


def heat(row: int, column: int, number: float) -> str:
    """Return the colour of a cell that holds a weight: from white, for 0, to blue, for 1."""
    share = min(max(number, 0.0), 1.0)
    ends = zip(bytes.fromhex(PAPER[1:]), bytes.fromhex(FULL[1:]), strict=True)
    return "#" + bytes(round(w + (d - w) * share) for w, d in ends).hex()


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
        base = y + height / 2 + below + HALF_LETTER * SMALL
        yield Text(x + width / 2, base, words, SMALL, bold=i == 0 and len(lines) > 1)


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
    """A length to a tenth, so that the last bits of a computation are not drawn."""
    return f"{value:.1f}".removesuffix(".0")


def _with_indices(words: str) -> str:
    """Words as SVG, in which d_k has its index below the line; a sign without width leads back up."""
    below = r'<tspan dy=".3em" font-size="75%">\1</tspan><tspan dy="-.225em">&#8203;</tspan>'
    return INDEX.sub(below, escape(words))
