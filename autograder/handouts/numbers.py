"""The matrices of a worked example: printed reliably, as text tables, HTML tables or Python code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from autograder.language import say
from autograder.templates import render
from autograder.worker.wire import Array

NEAR_A_TIE = 1e-3
"""Of a unit of the last decimal."""
NOISE = 64
"""Units in the last place that two machines' results may differ by."""
MAX_WIDTH = 88
BETWEEN = "    "


@dataclass(frozen=True, eq=False)
class Matrix:
    """A named array; of more than two dimensions, each matrix is a separate table under its index.

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
        numbers = np.asarray(self.numbers)
        object.__setattr__(self, "numbers", numbers)
        *_, row_count, column_count = np.atleast_2d(numbers).shape
        self._check_labels(self.rows, row_count, "rows")
        self._check_labels(self.columns, column_count, "columns")
        self.texts()  # raises where a number cannot be printed

    def _check_labels(self, labels: Sequence[str], count: int, noun: str) -> None:
        """Raise an error unless there is a label for each row or column, or none at all."""
        label_count = len(labels)
        if labels and label_count != count:
            raise ValueError(
                f"{self.name} has {count} {noun} and {label_count} labels for them"
            )

    def texts(self) -> Any:
        """Return the printed numbers: a text, a list of texts, or a list of rows of texts."""
        decimals = self.decimals
        if self.numbers.dtype.kind == "b":
            decimals = 0
        try:
            flat = [printed(number, decimals) for number in self.numbers.flat]
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error
        texts = np.array(flat, object)
        return texts.reshape(self.numbers.shape).tolist()

    def grid(self) -> list[list[str]]:
        """Return the printed numbers of at most two dimensions as rows of texts."""
        texts = np.array(self.texts(), object)
        rows: list[list[str]] = np.atleast_2d(texts).tolist()
        return rows

    def tables(self) -> list[Matrix]:
        """Return the matrices to show, one for each leading index, such as ``Q[0, 1]``."""
        if self.numbers.ndim < 3:
            return [self]
        matrices = []
        *leading_axes, _, _ = self.numbers.shape
        name = self.caption or self.name
        for index in np.ndindex(*leading_axes):
            place = ", ".join(map(str, index))
            caption = f"{name}[{place}]"
            numbers = self.numbers[index]
            matrix = replace(self, caption=caption, numbers=numbers)
            matrices.append(matrix)
        return matrices

    @property
    def title(self) -> str:
        """The caption with the shape, as NumPy writes it."""
        name = self.caption or self.name
        return say("{name}, shape {shape}", name=name, shape=self.numbers.shape)


def whole_numbers(
    name: str,
    numbers: Array,
    caption: str = "",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    corner: str = "",
) -> Matrix:
    """Return a matrix that is printed without decimals."""
    return Matrix(name, numbers, caption, rows, columns, corner, decimals=0)


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
    magnitude = abs(value)
    in_units = magnitude / unit
    fraction = in_units % 1
    distance_from_tie = abs(fraction - 0.5)
    noise = 0.0
    if np.issubdtype(number.dtype, np.floating):
        precision = float(np.finfo(number.dtype).eps)
        noise = NOISE * precision * max(1.0, magnitude)
    noise_in_units = noise / unit
    if distance_from_tie <= NEAR_A_TIE + noise_in_units:
        raise ValueError(
            f"{value!r} is too close to a tie between two roundings at {decimals} decimals: "
            "print more or fewer decimals, or choose other inputs"
        )
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        return text.removeprefix("-")
    return text


def listed(texts: Any) -> str:
    """Return printed numbers in the brackets that Python would put around them."""
    if isinstance(texts, str):
        return texts
    parts = map(listed, texts)
    items = ", ".join(parts)
    return f"[{items}]"


def code_lines(matrices: Sequence[Matrix]) -> str:
    """Return one assignment for each matrix, for code in which ``np`` is NumPy."""
    lines = []
    for matrix in matrices:
        if matrix.code is not None:
            function, numbers = matrix.code
        else:
            function = "np.array"
            numbers = matrix.numbers
            if np.issubdtype(numbers.dtype, np.floating):
                numbers = np.asarray(matrix.texts(), dtype=float)  # as they are printed
        values = numbers.tolist()
        line = f"{matrix.name} = {function}({values})"
        if len(line) > MAX_WIDTH and numbers.ndim > 1:
            row_lines = [f"{matrix.name} = {function}(["]
            for row in values:
                row_lines.append(f"    {row},")
            row_lines.append("])")
            line = "\n".join(row_lines)
        lines.append(re.sub(r"\binf\b", "np.inf", line))
    return "\n".join(lines)


def text_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices side by side, each under its title, for a fixed-width font."""
    blocks = [_text_table(matrix) for matrix in _tables(matrices)]
    height = max(map(len, blocks))
    for block in blocks:
        width = len(block[0])
        empty_line = " " * width
        missing_lines = height - len(block)
        block += [empty_line] * missing_lines
    lines = []
    for pieces in zip(*blocks, strict=True):
        line = BETWEEN.join(pieces)
        lines.append(line.rstrip())
    return "\n".join(lines)


def _tables(matrices: Sequence[Matrix]) -> list[Matrix]:
    tables: list[Matrix] = []
    for matrix in matrices:
        tables += matrix.tables()
    return tables


def _text_table(matrix: Matrix) -> list[str]:
    """Return a matrix under its title as lines of one width: numbers to the right, row labels to the left."""
    rows = matrix.grid()
    labels = list(matrix.rows)
    if matrix.columns:
        rows.insert(0, list(matrix.columns))
        labels.insert(0, matrix.corner)
    columns = []
    if matrix.rows:
        width = max(map(len, labels))
        columns.append([label.ljust(width) for label in labels])
    for column in zip(*rows, strict=True):
        width = max(map(len, column))
        columns.append([cell.rjust(width) for cell in column])
    lines = [matrix.title]
    for cells in zip(*columns, strict=True):
        lines.append("  ".join(cells))
    width = max(map(len, lines))
    return [line.ljust(width) for line in lines]


def html_tables(matrices: Sequence[Matrix]) -> str:
    """Return matrices as tables that stand side by side where there is room; no blank line in between."""
    tables = _tables(matrices)
    html = render("autograder.authoring", "matrices.html", matrices=tables)
    return html.rstrip()


def rounding_notes(matrices: Sequence[Matrix]) -> str:
    """Say where shares that sum to 1 do not do so as they are printed, or return an empty text."""
    notes = []
    for matrix in _tables(matrices):
        numbers = np.atleast_2d(matrix.numbers)
        texts = np.array(matrix.grid(), object)
        for kind, labels, lines, printed_lines in (
            ("row", matrix.rows, numbers, texts),
            ("column", matrix.columns, numbers.T, texts.T),
        ):
            if lines.shape[-1] < 2 or lines.min() < 0:
                continue
            sums_of_lines = lines.sum(axis=-1)
            if not np.allclose(sums_of_lines, 1):
                continue
            sums = []
            for place, line in enumerate(printed_lines):
                total = sum(Decimal(text) for text in line)
                if total != 1:
                    name = f"{say(kind)} {place}"
                    if labels:
                        name = labels[place]
                    fact = say("{name} gives {total}", name=name, total=total)
                    sums.append(fact)
            if sums:
                caption = matrix.caption or matrix.name
                sentence = f"Each {kind} of “{{caption}}” sums to 1. As printed, by rounding, {{sums}}."
                all_sums = ", ".join(sums)
                notes.append(say(sentence, caption=caption, sums=all_sums))
            break
    return "\n".join(notes)
