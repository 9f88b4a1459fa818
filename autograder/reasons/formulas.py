"""Formulas with letters: what may stand in code, and what may stand in its place.

A letter is any expression, the same on both sides. Two letters stand for less: ``w`` is a call, or a formula that
is no difference, and ``i`` is an index along one axis. A longer name is itself, but ``np`` is NumPy or torch.
``...`` at the end of a call's arguments is whatever else the call has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograder.reasons.vocabulary import LIBRARIES

Row = tuple[str, str, str]
"""A formula, what may stand in its place, and what to say of that."""


@dataclass(frozen=True)
class Match:
    """A row of a table whose formula fits a node.

    Attributes:
        new: what may stand in the node's place.
        says: what the row says of that.
        letters: the expression that stands for each letter.
    """

    new: ast.AST
    says: str
    letters: Mapping[str, ast.AST]


class RowTable:
    """Rows of formulas."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._rows_by_kind: dict[type[ast.AST], list[Row]] = {}

    def matches(self, node: ast.AST) -> Iterator[Match]:
        """Yield the rows that fit a node, in their order."""
        if isinstance(getattr(node, "operand", None), ast.Constant):
            return  # the sign belongs to the number, such as that of an axis
        for old, new, says in self._rows_for(type(node)):
            letters: dict[str, ast.AST] = {}
            if fits(formula(old), node, letters):
                yield Match(filled(new, **letters), says, letters)

    def _rows_for(self, kind: type[ast.AST]) -> list[Row]:
        """Return the rows that may fit a node of a kind: most tables have few, and are asked about each node."""
        if kind not in self._rows_by_kind:
            rows = []
            for row in self.rows:
                kind_of_row = type(formula(row[0]))
                if kind_of_row in (kind, ast.Name):
                    rows.append(row)
            self._rows_by_kind[kind] = rows
        return self._rows_by_kind[kind]


def _parsed(text: str) -> Any:
    """Parse an expression or a statement."""
    [statement] = ast.parse(text).body
    if isinstance(statement, ast.Expr):
        return statement.value
    return statement


@cache
def formula(text: str) -> Any:
    """Return a formula, the same object each time: it must not be changed."""
    return _parsed(text)


def fits(pattern: Any, node: Any, letters: dict[str, ast.AST]) -> bool:
    """Return whether a node has the form of a pattern; ``letters`` receives what stands for each letter."""
    if isinstance(pattern, ast.Name):
        letters[pattern.id] = node
        return _stands_for(pattern.id, node)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, list):
        if len(pattern) != len(node):
            return False
        pairs = zip(pattern, node, strict=True)
        return all(fits(part, node_part, letters) for part, node_part in pairs)
    if not isinstance(pattern, ast.AST):
        return bool(pattern == node)
    if isinstance(pattern, ast.Call) and _takes_any(pattern):
        first = pattern.args[:-1]
        if not fits(pattern.func, node.func, letters):
            return False
        return fits(first, node.args[: len(first)], letters)
    for name, part in ast.iter_fields(pattern):
        if name != "ctx" and not fits(part, getattr(node, name), letters):
            return False
    return True


def _stands_for(name: str, node: Any) -> bool:
    """Return whether a name of a formula may stand for a node."""
    if name == "np":
        return isinstance(node, ast.Name) and node.id in LIBRARIES
    if len(name) > 1:
        return isinstance(node, ast.Name) and node.id == name
    if name == "w":
        if isinstance(node, ast.BinOp):
            # A difference is, for example, what a softmax subtracts.
            return not isinstance(node.op, ast.Sub)
        return isinstance(node, ast.Call)
    if name == "i" and isinstance(node, ast.Tuple):
        return False
    return isinstance(node, ast.expr)


def _takes_any(pattern: ast.Call) -> bool:
    """Return whether a call's last argument is ``...``."""
    if not pattern.args:
        return False
    last = pattern.args[-1]
    return isinstance(last, ast.Constant) and last.value is ...


def filled(text: str, **letters: ast.AST) -> Any:
    """Return a formula with expressions in the places of its letters."""
    return with_letters(_parsed(text), letters)


def with_letters(node: ast.AST, letters: Mapping[str, ast.AST]) -> Any:
    """Put expressions in the places of names; the node is changed."""
    return _Filler(letters).visit(node)


class _Filler(ast.NodeTransformer):
    """Puts expressions in the places of names."""

    def __init__(self, letters: Mapping[str, ast.AST]) -> None:
        self.letters = letters

    def visit_Name(self, name: ast.Name) -> ast.AST:
        return self.letters.get(name.id, name)
