"""The matrices of a worked example: printed reliably, as text tables, HTML tables or Python code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.templates import render
from autograder.worker.wire import Array

NEAR_A_TIE = 1e-3  # of a unit of the last decimal
NOISE = 64  # units in the last place that two machines' results may differ by
MAX_WIDTH = 88
BETWEEN = "    "


@dataclass(frozen=True, eq=False)
class Matrix:
    """A named array; of more than two dimensions, each matrix is a table of its own under its index.

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
        sizes = np.atleast_2d(self.numbers).shape[-2:]
        for side, labels, size in (
            ("rows", self.rows, sizes[0]),
            ("columns", self.columns, sizes[1]),
        ):
            if labels and len(labels) != size:
                raise ValueError(
                    f"{self.name} has {size} {side} and {len(labels)} labels for them"
                )
        self.texts()

    def texts(self) -> Any:
        """Return the printed numbers: a text, a list of texts, or a list of rows of texts."""
        try:
            decimals = 0 if self.numbers.dtype.kind == "b" else self.decimals
            flat = [printed(number, decimals) for number in self.numbers.flat]
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error
        return np.array(flat, object).reshape(self.numbers.shape).tolist()

    def grid(self) -> list[list[str]]:
        """Return the printed numbers of at most two dimensions as rows of texts."""
        rows: list[list[str]] = np.atleast_2d(np.array(self.texts(), object)).tolist()
        return rows

    def tables(self) -> list[Matrix]:
        """Return the matrices that are to be shown, one for each leading index, such as ``Q[0, 1]``."""
        if self.numbers.ndim < 3:
            return [self]
        every = np.ndindex(*self.numbers.shape[:-2])
        named = (
            (f"{self.caption or self.name}[{', '.join(map(str, at))}]", at)
            for at in every
        )
        return [
            replace(self, caption=caption, numbers=self.numbers[at])
            for caption, at in named
        ]

    @property
    def title(self) -> str:
        """The caption with the shape, as NumPy writes it."""
        return f"{self.caption or self.name}, shape {self.numbers.shape}"


def printed(number: Array, decimals: int) -> str:
    """Return a scalar array as text, rounded; a zero has no sign. True is 1, and False 0.

    Raises:
        ValueError: the number is NaN, or so near to the middle between two roundings that another
            machine, whose result differs in the last bits, could print the other one.
    """
    value = float(number)
    if np.isnan(value):
        raise ValueError(f"{value} is not a number to print")
    if np.isinf(value):
        return str(value)
    unit = 10.0**-decimals
    from_tie = abs(abs(value) / unit % 1 - 0.5)
    is_float = np.issubdtype(number.dtype, np.floating)
    noise = (
        NOISE * float(np.finfo(number.dtype).eps) * max(1.0, abs(value))
        if is_float
        else 0.0
    )
    if from_tie <= NEAR_A_TIE + noise / unit:
        raise ValueError(
            f"{value!r} is too near to a tie between two roundings at {decimals} decimals: "
            "print more or fewer decimals, or choose other inputs"
        )
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def listed(texts: Any) -> str:
    """Return printed numbers in the brackets that Python would put around them."""
    return (
        texts
        if isinstance(texts, str)
        else f"[{', '.join(listed(part) for part in texts)}]"
    )


def code_lines(matrices: Sequence[Matrix]) -> str:
    """Return one assignment for each matrix, for code in which ``np`` is NumPy."""
    lines = []
    for matrix in matrices:
        function, numbers = matrix.code or ("np.array", matrix.numbers)
        if matrix.code is None and np.issubdtype(numbers.dtype, np.floating):
            numbers = np.asarray(matrix.texts(), dtype=float)  # as they are printed
        line = f"{matrix.name} = {function}({numbers.tolist()})"
        if len(line) > MAX_WIDTH and numbers.ndim > 1:
            rows = "".join(f"    {row.tolist()},\n" for row in numbers)
            line = f"{matrix.name} = {function}([\n{rows}])"
        lines.append(re.sub(r"\binf\b", "np.inf", line))
    return "\n".join(lines)


def text_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices side by side, each under its title, for a fixed-width font."""
    blocks = []
    for matrix in (one for each in matrices for one in each.tables()):
        rows = (
            [list(matrix.columns), *matrix.grid()] if matrix.columns else matrix.grid()
        )
        if matrix.rows:
            labels = [matrix.corner, *matrix.rows] if matrix.columns else matrix.rows
            rows = [[label, *row] for label, row in zip(labels, rows, strict=True)]
        columns = [
            [cell.rjust(max(map(len, column))) for cell in column]
            for column in zip(*rows, strict=True)
        ]
        if matrix.rows:
            columns[0] = [row[0].ljust(len(columns[0][0])) for row in rows]
        block = [matrix.title, *map("  ".join, zip(*columns, strict=True))]
        width = max(map(len, block))
        blocks.append([line.ljust(width) for line in block])
    height = max(map(len, blocks))
    blocks = [block + [" " * len(block[0])] * (height - len(block)) for block in blocks]
    return "\n".join(BETWEEN.join(line).rstrip() for line in zip(*blocks, strict=True))


def html_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices as tables that stand side by side where there is room; no blank line in between."""
    tables = [one for each in matrices for one in each.tables()]
    return render("autograder.authoring", "matrices.html", matrices=tables).rstrip()
