"""Accept arrays of one entry as numbers, as NumPy did before 2.4: `float(k.T @ q)`, `scores[i] = k.T @ q`.

Many tutorials are written this way, and with the NumPy of their time it worked. A submission is therefore
compiled with calls of two functions, which are added to the builtins, around everything that takes numbers:
`float`, `int`, `complex`, the functions of `math`, and an array whose item is assigned. Line numbers and the order
of evaluation stay the same.
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
from typing import Any

import numpy as np

NUMBER_TYPES = (float, int, complex)
TAKE_SEQUENCES = frozenset({"dist", "fsum", "prod", "sumprod"})
"""The functions of `math` for which an array of one entry is a sequence of one number."""
TAKE_NUMBERS = frozenset({*dir(math), "float", "int", "complex"}) - TAKE_SEQUENCES
FUNCTION_WRAPPER = "__of_one_entry__"
CONTAINER_WRAPPER = "__with_items_of_one_entry__"
WRAPPED = (ast.Call, ast.Subscript)
WITHOUT_EXPRESSIONS = (ast.Name, ast.Constant, ast.alias)
"""Nodes within which there are no others, besides whether a name is read or bound."""
NEVER_EXPRESSIONS = frozenset(
    {"ctx", "op", "ops", "id", "attr", "kind", "type_comment"}
)
"""Fields of nodes in which there is never an expression."""


def parse(source: str, filename: str) -> ast.Module:
    """Parse Python code so that, once compiled, it accepts arrays of one entry as numbers.

    Raises:
        SyntaxError: the source is not Python code.
    """
    tree = ast.parse(source, filename)
    vars(builtins)[FUNCTION_WRAPPER] = of_one_entry
    vars(builtins)[CONTAINER_WRAPPER] = with_items_of_one_entry
    for node in _calls_and_subscripts(tree):
        if isinstance(node, ast.Call):
            if _name(node.func) in TAKE_NUMBERS:
                node.func = _wrapped(FUNCTION_WRAPPER, node.func)
            elif _name(node.func) == "map" and node.args:
                mapped = node.args[0]
                if _name(mapped) in TAKE_NUMBERS:
                    node.args[0] = _wrapped(FUNCTION_WRAPPER, mapped)
        elif isinstance(node.ctx, ast.Store):
            node.value = _wrapped(CONTAINER_WRAPPER, node.value)
    return tree


def _calls_and_subscripts(tree: ast.AST) -> list[ast.Call | ast.Subscript]:
    """Return all calls and subscripts within a tree.

    ``ast.walk`` takes three times as long, because it has a generator for each node.
    """
    found: list[ast.Call | ast.Subscript] = []
    remaining: list[Any] = [tree]
    while remaining:
        node = remaining.pop()
        if isinstance(node, WRAPPED):
            found.append(node)
        for name in _fields_with_nodes(node.__class__):
            value = getattr(node, name, None)
            if type(value) is list:
                remaining += value
            elif value is not None:
                remaining.append(value)
    return found


@functools.cache
def _fields_with_nodes(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of node in which there may be expressions; a text or a name has none."""
    if not issubclass(kind, ast.AST) or issubclass(kind, WITHOUT_EXPRESSIONS):
        return ()
    names = []
    for name in kind._fields:
        if name not in NEVER_EXPRESSIONS:
            names.append(name)
    return tuple(names)


def of_one_entry(function: Any) -> Any:
    """Make a function of numbers accept arrays of one entry; return any other function unchanged.

    The names in the code say little: a student may define a function `exp`, or bind `log` to NumPy's.
    """
    is_number_type = any(function is number_type for number_type in NUMBER_TYPES)
    if not is_number_type and getattr(function, "__module__", None) != "math":
        return function
    if (
        getattr(function, "__name__", None) in TAKE_SEQUENCES
    ):  # `log`, say, may be a name for it
        return function

    def accepting(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_number, args), **kwargs)

    return accepting


def with_items_of_one_entry(container: Any) -> Any:
    """Return an array whose items may be set to arrays of one entry; any other container unchanged."""
    if isinstance(container, np.ndarray):
        return _ItemSetter(container)
    return container


class _ItemSetter:
    """Stands for an array where one of its items is assigned, or changed as by `+=`."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Any:
        return self._array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            self._array[index] = value
        except ValueError:
            number = _number(value)
            if number is value:
                raise
            self._array[index] = number


def _number(value: Any) -> Any:
    """Return the number in an array of one entry; any other value unchanged."""
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.item()
    return value


def _name(node: ast.expr) -> str | None:
    """Return the last name of `name` or `module.name`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return None


def _wrapped(function: str, node: ast.expr) -> ast.Call:
    """Return a call of the function with this expression, at the same place in the source."""
    called = ast.copy_location(ast.Name(function, ast.Load()), node)
    return ast.copy_location(ast.Call(called, [node], []), node)
