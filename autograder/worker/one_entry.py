"""Accept arrays of one entry as numbers, as NumPy did before 2.4: `float(k.T @ q)`, `scores[i] = k.T @ q`.

Many tutorials are written this way, and with the NumPy of their time it worked. A submission is compiled with
calls of two functions, which are added to the builtins, around whatever takes numbers: `float`, `int`,
`complex`, the functions of `math`, and an array whose item is assigned. Line numbers and the order of
evaluation stay as they are.
"""

from __future__ import annotations

import ast
import builtins
import math
from typing import Any

import numpy as np

TYPES = (float, int, complex)
TAKE_NUMBERS = frozenset(dir(math)) | {one.__name__ for one in TYPES}
FUNCTION, CONTAINER = "__of_one_entry__", "__with_items_of_one_entry__"


def parse(source: str, filename: str) -> ast.Module:
    """Parse Python code so that, once compiled, it accepts arrays of one entry as numbers.

    Raises:
        SyntaxError: the source is not Python code.
    """
    tree = ast.parse(source, filename)
    vars(builtins).update({FUNCTION: of_one_entry, CONTAINER: with_items_of_one_entry})
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if _name(node.func) in TAKE_NUMBERS:
                node.func = _within(FUNCTION, node.func)
            elif (
                _name(node.func) == "map"
                and node.args
                and _name(node.args[0]) in TAKE_NUMBERS
            ):
                node.args[0] = _within(FUNCTION, node.args[0])
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            node.value = _within(CONTAINER, node.value)
    return tree


def of_one_entry(function: Any) -> Any:
    """Make a function of numbers accept arrays of one entry; return any other function as it is."""
    if (
        not any(function is one for one in TYPES)
        and getattr(function, "__module__", None) != "math"
    ):
        return function

    def taking(*args: Any, **named: Any) -> Any:
        return function(*map(_number, args), **named)

    return taking


def with_items_of_one_entry(container: Any) -> Any:
    """An array whose items may be set to arrays of one entry; anything else is returned as it is."""
    return _Items(container) if isinstance(container, np.ndarray) else container


class _Items:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Any:
        return self._array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            self._array[index] = value
        except ValueError:
            if _number(value) is value:
                raise
            self._array[index] = _number(value)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) and value.size == 1 else value


def _name(node: ast.expr) -> str | None:
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else None
    )


def _within(function: str, node: ast.expr) -> ast.Call:
    """Return a call of the function with this expression, at the same place."""
    place = {
        key: getattr(node, key)
        for key in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    }
    return ast.Call(ast.Name(function, ast.Load(), **place), [node], [], **place)
