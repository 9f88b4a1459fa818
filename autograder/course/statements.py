"""Statements of Python source: their lines and text, and the names that they define and read."""

from __future__ import annotations

import ast
from symtable import SymbolTable, symtable


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


def defined_names(node: ast.AST) -> set[str]:
    """Return the names that a statement of a module, or one alias of an import, defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    names = names_in(node, ast.Store)
    for inner in ast.walk(node):
        if isinstance(inner, ast.alias):
            name = inner.asname or inner.name
            package, _, _ = name.partition(".")
            names.add(package)
    return names


def names_in(
    node: ast.AST, context: type[ast.expr_context] = ast.expr_context
) -> set[str]:
    """Return the names in code; with a context, such as ``ast.Store``, only the names that stand in this one."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, context):
            names.add(inner.id)
    return names


def names_read(source: str) -> set[str]:
    """Return the names of a module that its code reads, also within functions."""
    return _read_names(symtable(source, "", "exec"))


def _read_names(scope: SymbolTable) -> set[str]:
    """Return the names of the module that a scope of it, or one inside, reads."""
    is_module = scope.get_type() == "module"
    names = set()
    for symbol in scope.get_symbols():
        is_of_module = is_module or symbol.is_global()
        if is_of_module and symbol.is_referenced():
            names.add(symbol.get_name())
    for inner in scope.get_children():
        names |= _read_names(inner)
    return names
