"""Statements of Python source: their lines, and their text."""

from __future__ import annotations

import ast


def line_numbers(node: ast.stmt) -> range:
    """Return the numbers of a statement's lines, decorators included; the first line of a module is 1."""
    first = node.lineno
    for decorator in getattr(node, "decorator_list", ()):
        first = min(first, decorator.lineno)
    last = node.end_lineno or node.lineno
    return range(first, last + 1)


def text_of(source: str, node: ast.stmt) -> str:
    """Return the lines of a statement, decorators included."""
    lines = source.split("\n")
    numbers = line_numbers(node)
    first = numbers.start - 1
    last = numbers.stop - 1
    return "\n".join(lines[first:last])
