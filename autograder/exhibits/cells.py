"""Values that are not only arrays as rows of cells, as grids on pages and in terminals hold them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.verdict.kinds import first_difference, structure_of
from autograder.worker.composites import PLAIN

LONGEST_CELL = 60
BLANK = "␣"
"""Stands for a blank within a shown text: a blank ends a cell there."""


def shown_lines(value: Any) -> list[str]:
    """Return the content of a value as lines, each one cell; no lines where nothing can be shown."""
    part = structure_of(value)
    if part is None:
        return []
    texts: Iterable[str] = part.header
    if part.kind == "a text":
        texts = map(repr, part.header)
    elif part.kind == "a list":
        texts = map(short, part.children.values())
    return list(map(cell, texts))


def short(value: Any) -> str:
    """Return a plain value as Python writes it, and the name of the kind of any other value."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray) and value.size == 1:
        return repr(value.item())
    part = structure_of(value)
    if part is None:
        return "…"
    return part.name


def cell(text: str) -> str:
    """Return a text as one cell of a grid, cut where it is long."""
    if len(text) > LONGEST_CELL:
        text = f"{text[: LONGEST_CELL - 1]}…"
    printable = ""
    for character in text:
        if not character.isprintable():
            character = "?"
        printable += character
    return printable.replace(" ", BLANK)


def text_window(text: str, other: str, lines: int) -> list[str]:
    """Return the lines of a text around the first difference from another text, each one cell."""
    first_line, column = first_difference(text, other)
    rows = text.split("\n")
    shown_rows = rows[first_line : first_line + lines]
    cells = []
    for row in shown_rows:
        start = column - LONGEST_CELL // 2
        if start > 0:
            shown = f"…{row[start:]!r}"
        else:
            shown = repr(row)
        cells.append(cell(shown))
        column = 0  # the lines below are shown from their beginning
    return cells
