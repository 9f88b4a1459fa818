"""Cells of CSV files: text from outside cannot become a formula when a spreadsheet opens the file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

# The wide forms count as operators where the spreadsheet's language is Japanese.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe(text: str) -> str:
    """Return a cell's text; what a spreadsheet would take for a formula gets an apostrophe in front."""
    return f"'{text}" if is_formula(text) else text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula; a lone sign, as in an empty column, is none."""
    found = text.lstrip(" \ufeff")
    return len(found) > 1 and found.startswith(FORMULA_STARTS)


def number(points: float | None) -> str:
    """Return points as a cell; blank where there is no fair grade yet."""
    return "" if points is None else f"{points:g}"


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table as CSV in UTF-8; cells come as they shall stand there."""
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
