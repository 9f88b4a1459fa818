"""Tables of numbers: as plain text that lines up, and as HTML whose cells know their headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Any

import numpy as np

from autograder.worker import Array

NEAR_A_TIE = 1e-3  # of a unit of the last decimal
NOISE = 64  # units in the last place that two machines' results may differ by


def printed(number: Array, decimals: int) -> str:
    """Return a scalar array as text, rounded; a zero has no sign.

    Raises:
        ValueError: the number is not finite, or so near to the middle between two roundings that another
            machine, whose result differs in the last bits, could print the other one.
    """
    value = float(number)
    if not np.isfinite(value):
        raise ValueError(f"{value} is no number to print")
    unit = 10.0**-decimals
    from_tie = abs(abs(value) / unit % 1 - 0.5)
    if from_tie <= NEAR_A_TIE + _noise(number) / unit:
        raise ValueError(
            f"{value!r} is too near to a tie between two roundings at {decimals} decimals: "
            "print more or fewer decimals, or choose other inputs"
        )
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _noise(number: Array) -> float:
    if not np.issubdtype(number.dtype, np.floating):
        return 0.0
    return float(NOISE * np.finfo(number.dtype).eps * max(1.0, abs(float(number))))


MAX_WIDTH = 88


def code_lines(matrices: Sequence[Matrix]) -> str:
    """Return one assignment for each matrix; ``np`` must be NumPy."""
    return "\n".join(_assignment(matrix) for matrix in matrices)


def _assignment(matrix: Matrix) -> str:
    function, numbers = matrix.code or ("np.array", _as_printed(matrix))
    line = f"{matrix.name} = {function}({numbers.tolist()})"
    if len(line) <= MAX_WIDTH or numbers.ndim < 2:
        return line
    rows = "".join(f"    {row.tolist()},\n" for row in numbers)
    return f"{matrix.name} = {function}([\n{rows}])"


def _as_printed(matrix: Matrix) -> Array:
    if not np.issubdtype(matrix.numbers.dtype, np.floating):
        return matrix.numbers
    return np.asarray(matrix.texts(), dtype=float)


def listed(texts: Any) -> str:
    """Return printed numbers in the brackets that Python would put around them."""
    return texts if isinstance(texts, str) else f"[{', '.join(listed(part) for part in texts)}]"


LABELS = {"rows": -2, "columns": -1}


@dataclass(frozen=True, eq=False)
class Matrix:
    """A named array of at most two dimensions.

    ``name`` is what placeholders call it. ``corner`` says what the labels of rows and columns are.
    ``code`` is a function of NumPy and its argument, where that is shorter to write than the numbers.

    Raises:
        ValueError: the labels do not fit the numbers, or a number cannot be printed reliably.
    """

    name: str
    numbers: Array
    caption: str = ""
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""
    decimals: int = 2
    code: tuple[str, Array] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", np.asarray(self.numbers))
        if self.numbers.ndim > 2:
            raise ValueError(f"{self.name} has {self.numbers.ndim} dimensions; a page has two")
        for side, axis in LABELS.items():
            self._check_labels(side, axis)
        self.texts()

    def texts(self) -> Any:
        """Return the printed numbers: a text, a list of texts, or a list of rows of texts."""
        return _nested(self.numbers, self.decimals, self.name)

    def grid(self) -> list[list[str]]:
        """Return the printed numbers as rows of texts, whatever the number of dimensions."""
        grid: list[list[str]] = _nested(np.atleast_2d(self.numbers), self.decimals, self.name)
        return grid

    @property
    def title(self) -> str:
        """The caption with the shape, as NumPy writes it."""
        return f"{self.caption or self.name}, shape {self.numbers.shape}"

    def _check_labels(self, side: str, axis: int) -> None:
        labels = getattr(self, side)
        size = np.atleast_2d(self.numbers).shape[axis]
        if labels and len(labels) != size:
            raise ValueError(f"{self.name} has {size} {side} and {len(labels)} labels for them")


def _nested(numbers: Array, decimals: int, name: str) -> Any:
    if numbers.ndim:
        return [_nested(part, decimals, name) for part in numbers]
    try:
        return printed(numbers, decimals)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


BETWEEN = "    "


def text_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices side by side, each under its title, for a fixed-width font."""
    blocks = [_block(matrix) for matrix in matrices]
    widths = [len(block[0]) for block in blocks]
    lines = (
        BETWEEN.join((line or "").ljust(width) for line, width in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*blocks)
    )
    return "\n".join(lines)


def _block(matrix: Matrix) -> list[str]:
    """Return lines of equal length: the title, the labels of the columns, the rows."""
    lines = _lined_up(_labelled(matrix), labelled=bool(matrix.rows))
    width = max(len(lines[0]), len(matrix.title))
    return [line.ljust(width) for line in (matrix.title, *lines)]


def _labelled(matrix: Matrix) -> list[list[str]]:
    rows = matrix.grid()
    if matrix.columns:
        rows = [list(matrix.columns), *rows]
    if not matrix.rows:
        return rows
    labels = [matrix.corner, *matrix.rows] if matrix.columns else matrix.rows
    return [[label, *row] for label, row in zip(labels, rows, strict=True)]


def _lined_up(rows: Sequence[Sequence[str]], labelled: bool) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_aligned(row, widths, labelled)) for row in rows]


def _aligned(row: Sequence[str], widths: Sequence[int], labelled: bool) -> list[str]:
    cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    return [row[0].ljust(widths[0]), *cells[1:]] if labelled else cells


def html_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices as tables that stand side by side where there is room; no blank line in between."""
    return "\n".join(['<div class="matrices">', *map(_html_table, matrices), "</div>"])


def _html_table(matrix: Matrix) -> str:
    caption = f"<caption>{escape(matrix.title)}</caption>"
    return "\n".join(['<table class="numbers">', caption, *_head(matrix), *_body(matrix), "</table>"])


def _head(matrix: Matrix) -> list[str]:
    if not matrix.columns:
        return []
    corner = f'<td class="corner">{escape(matrix.corner)}</td>' if matrix.rows else ""
    return [f"<tr>{corner}{_cells(matrix.columns, 'th', 'col')}</tr>"]


def _body(matrix: Matrix) -> list[str]:
    rows = [_cells(row, "td") for row in matrix.grid()]
    labels = [_cells([label], "th", "row") for label in matrix.rows] or [""] * len(rows)
    return [f"<tr>{label}{row}</tr>" for label, row in zip(labels, rows, strict=True)]


def _cells(words: Sequence[str], tag: str, scope: str = "") -> str:
    opening = f'{tag} scope="{scope}"' if scope else tag
    return "".join(f"<{opening}>{escape(word)}</{tag}>" for word in words)
