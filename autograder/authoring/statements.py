"""The texts in Python source, and the statements that define what some names need."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.course.statements import defined_names, line_numbers, names_read


def texts_in(source: str) -> set[str]:
    """Return the texts in Python source, each also in one line, because docstrings are translated so.

    A notebook with commands of IPython is no Python, and has none.
    """
    texts = set[str]()
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return texts
    for constant in _text_constants(tree):
        text = constant.value
        words = text.split()
        texts.add(text)
        texts.add(" ".join(words))
    return texts


def without_texts(source: str) -> str:
    """Return Python source without comments and with every text empty, which is equal in two languages.

    Raises:
        SyntaxError: it is not Python.
    """
    tree = ast.parse(source)
    for constant in _text_constants(tree):
        constant.value = ""
    return ast.unparse(tree)


def _text_constants(tree: ast.AST) -> Iterator[Any]:
    """Yield the constants of a tree that are texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def start_with_comments(node: ast.stmt, lines: Sequence[str]) -> int:
    """Return the first line of a statement, from 0, with its decorators and the comments above it."""
    first = line_numbers(node).start - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return first


def with_what_is_used(body: Sequence[ast.stmt], names: set[str]) -> set[ast.stmt]:
    """Return the statements that define some names, and the statements on which they depend.

    All names that are used are added to ``names``.
    """
    used: set[ast.stmt] = set()
    names_of = {statement: defined_names(statement) for statement in body}
    while True:
        new = []
        for statement, defined in names_of.items():
            if statement not in used and defined & names:
                new.append(statement)
        if not new:
            return used
        used.update(new)
        for statement in new:
            source = ast.unparse(statement)
            names |= names_read(source)


def used_statements(
    body: Sequence[ast.stmt], names: set[str]
) -> tuple[list[str], list[ast.stmt]]:
    """Return imports of only the used names, and the other statements that define names or are used for that.

    All names that are used are added to ``names``.
    """
    used = with_what_is_used(body, names)
    imports = []
    others = []
    for statement in body:
        if statement not in used:
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports.append(import_of(statement, names))
        else:
            others.append(statement)
    return imports, others


def import_of(statement: ast.Import | ast.ImportFrom, names: set[str]) -> str:
    """Return an import without its unused names; the statement is changed."""
    used_aliases = []
    for alias in statement.names:
        if defined_names(alias) & names:
            used_aliases.append(alias)
    statement.names = used_aliases
    return ast.unparse(statement)
