"""``written.html``: every written answer of a class on one page, with its question and rubric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.exports.html import render
from autograder.exports.written import Asked
from autograder.exports.written_csv import Table


def write_written_page(path: Path, asked: Sequence[Asked], table: Table) -> None:
    """Write the page; what people have entered in the table is shown beside the answers."""
    page = render("written.html", asked=asked, entries=table.by_key)
    path.write_text(page, encoding="utf-8", errors="backslashreplace")
