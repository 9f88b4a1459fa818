"""Pad the source of Markdown tables, so that their columns line up where the file is read as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

PIPE = re.compile(r"(?<!\\)\|")
TABLE = re.compile(r"^\|.*\n\|[ :|-]+\|[ ]*\n(?:\|.*\n?)*", re.MULTILINE)


def line_up_pipes(markdown: str) -> str:
    """Return the text with every pipe table padded; what the tables say stays the same.

    Raises:
        ValueError: a row of a table has more or fewer cells than another.
    """
    return TABLE.sub(lambda found: _lined_up(found[0].splitlines()), markdown)


def _lined_up(lines: Sequence[str]) -> str:
    head, rule, *body = ([cell.strip() for cell in PIPE.split(line.strip())[1:-1]] for line in lines)
    if any(len(row) != len(head) for row in (rule, *body)):
        raise ValueError(f"the rows of the table {lines[0]!r} have different numbers of cells")
    widths = [max(3, *map(len, column)) for column in zip(head, *body, strict=True)]
    rules = [_rule(mark, width) for mark, width in zip(rule, widths, strict=True)]
    padded = [[_cell(*one) for one in zip(row, rule, widths, strict=True)] for row in (head, *body)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (padded[0], rules, *padded[1:]))


def _rule(mark: str, width: int) -> str:
    left, right = mark[:1].strip("-"), mark[-1:].strip("-")
    return f"{left}{'-' * (width - len(left + right))}{right}"


def _cell(words: str, mark: str, width: int) -> str:
    return words.rjust(width) if mark.strip("-") == ":" and mark.endswith(":") else words.ljust(width)
