"""Tables of numbers: as plain text that lines up, and as HTML whose cells know their headers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from autograder.handouts.matrix import Matrix

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
