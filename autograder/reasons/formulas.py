"""Formulas with letters: what may stand in code, and what may stand in its place.

=============  ======================================================================================
in a formula   stands for
=============  ======================================================================================
``a`` … ``z``  any expression, the same wherever the letter occurs: ``a - b`` fits ``x[0] - f(y)``
``w``          only a call, or an operation that is no difference
``i``          only an index along one axis
``np``         a library, such as NumPy or torch, under whatever name it was imported
``sum``        a longer name is itself, as Python or a library means it: not where the student's code binds it
``f(a, ...)``  a call with any further arguments, also by keyword; ``f(a)`` has none
=============  ======================================================================================
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import UnionType
from typing import Any

from autograder.reasons.sites import Site

Row = tuple[str, str, str]
"""A formula, what may stand in its place, and what is said of that."""
Letters = Mapping[str, Any]
"""The expression that stands for each letter; a word that needs no description stands for itself."""


@dataclass(frozen=True)
class NodeChange:
    """What may stand in the place of a node.

    Attributes:
        new: what may stand there.
        says: what is said of that, with blanks for letters.
        letters: what stands for the letters.
    """

    new: ast.AST
    says: str
    letters: Letters = field(default_factory=dict)


Changes = Iterator[NodeChange]
MakeChanges = Callable[..., Changes]
"""Yields what may stand at a site, its first argument; its docstring says what it changes."""


def anywhere(site: Site) -> bool:
    """Return True: a change may be made at each site."""
    return True


def rewriting(
    rows: Sequence[Row],
    *,
    kinds: type[ast.AST] | UnionType = ast.AST,
    where: Callable[[Site], bool] = anywhere,
    about: str = "",
) -> MakeChanges:
    """Return what makes the changes of a table, in the order of its rows.

    Args:
        rows: the table.
        kinds: the kinds of nodes that are changed.
        where: whether a node of these kinds is changed.
        about: the letter that is called ``old`` in what is said.
    """
    # Most tables have rows of one kind, and are asked about each node.
    kinds_of_rows = {type(formula(old)) for old, _, _ in rows}

    def changes(site: Site, *_: object) -> Changes:
        node = site.node
        if kinds_of_rows.isdisjoint((type(node), ast.Name)):
            return
        if not isinstance(node, kinds) or not where(site):
            return
        for old, new, says in rows:
            letters: dict[str, ast.AST] = {}
            if fits(formula(old), node, letters) and _are_meant(letters, site):
                if about:
                    letters["old"] = letters[about]
                yield NodeChange(filled(new, **letters), says, letters)

    return changes


def _are_meant(letters: Letters, site: Site) -> bool:
    """Return whether no longer name of a formula, such as `sum`, stands for something of the student's.

    What stands for `np` has to be a library, whatever the student's code calls it.
    """
    for name, node in letters.items():
        if name == "np":
            if not site.is_of_library(node):
                return False
        elif len(name) > 1 and not site.bound.is_usual(node.id):
            return False
    return True


def _parsed(text: str) -> Any:
    """Parse an expression or a statement."""
    [statement] = ast.parse(text).body
    if isinstance(statement, ast.Expr):
        return statement.value
    return statement


@lru_cache(maxsize=1024)
def formula(text: str) -> Any:
    """Return a formula, parsed once: it must not be changed. Some texts hold names of the student's."""
    return _parsed(text)


def fits(pattern: Any, node: Any, letters: dict[str, ast.AST]) -> bool:
    """Return whether a node has the form of a pattern; ``letters`` receives what stands for each letter."""
    if isinstance(pattern, ast.Name):
        # A letter that comes twice stands for the same.
        before = letters.setdefault(pattern.id, node)
        if before is not node and ast.dump(before) != ast.dump(node):
            return False
        return _stands_for(pattern.id, node)
    if type(pattern) is not type(node):
        return False
    match pattern:
        case list():
            if len(pattern) != len(node):
                return False
            pairs = zip(pattern, node, strict=True)
            return all(fits(part, node_part, letters) for part, node_part in pairs)
        case ast.UnaryOp() if isinstance(node.operand, ast.Constant):
            return False  # the sign belongs to the number, such as that of an axis
        case ast.Call(function, [*first, ast.Constant(value)]) if value is ...:
            if not fits(function, node.func, letters):
                return False
            return fits(first, node.args[: len(first)], letters)
        case ast.AST():
            for name, part in ast.iter_fields(pattern):
                if name == "ctx":
                    continue
                if not fits(part, getattr(node, name), letters):
                    return False
            return True
    return bool(pattern == node)


def _stands_for(name: str, node: Any) -> bool:
    """Return whether a name of a formula may stand for a node."""
    match name:
        case "np":
            return isinstance(node, ast.Name)  # which one it is, `rewriting` asks
        case "w" if isinstance(node, ast.BinOp):
            # A difference is, for example, what a softmax subtracts.
            return not isinstance(node.op, ast.Sub)
        case "w":
            return isinstance(node, ast.Call)
        case "i" if isinstance(node, ast.Tuple):
            return False
    if len(name) > 1:
        return isinstance(node, ast.Name) and node.id == name
    return isinstance(node, ast.expr)


def filled(text: str, **letters: ast.AST) -> Any:
    """Return a formula with expressions in the places of its letters."""
    return replaced(formula(text), letters)


def replaced(part: Any, letters: Letters) -> Any:
    """Return a copy of code, or of a part of it, with expressions in the places of names."""
    match part:
        case ast.Name(name) if name in letters:
            return letters[name]
        case ast.AST():
            fields = ast.iter_fields(part)
            return type(part)(
                **{name: replaced(value, letters) for name, value in fields}
            )
        case list():
            return [replaced(item, letters) for item in part]
    return part
