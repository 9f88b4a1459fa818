"""Other forms in which students hand in a mistake: a notebook, a value without its function, outside sizes.

Each is made of a mutant's text by rules, with the published example as its data.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.course import FunctionCall, Task
from autograder.judging import KnownCase
from autograder.sandbox import Cell, Code
from autograder.worker import Tensor

SIZE = "SIZE_{}"


def as_notebook(stub: str, text: str) -> Code:
    """A notebook with one cell for each statement at the top level of the text."""
    sources = map(ast.unparse, ast.parse(text).body)
    cells = [Cell(number, source) for number, source in enumerate(sources, 1)]
    return Code(f"{stub.removesuffix('.py')}.ipynb", cells=cells)


def as_value(text: str, task: Task, published: KnownCase) -> str | None:
    """The text with a task's function taken apart: its body stands at the top level, run on the example.

    None where the function does not end in its one ``return``, or the task accepts no such value.
    """
    module, call = ast.parse(text), published.case.call
    function = _functions(module).get(task.name)
    if task.value is None or function is None or not isinstance(call, FunctionCall):
        return None
    *body, last = function.body
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    names = [argument.arg for argument in function.args.args]
    example = [f"{name} = {_literal(value)}" for name, value in zip(names, call.args, strict=False)]
    result = f"{task.value} = {ast.unparse(last.value)}"
    module.body.remove(function)
    return "\n".join([ast.unparse(module), *example, *map(ast.unparse, body), result])


def with_outside_sizes(text: str, published: Sequence[KnownCase], tasks: Sequence[str]) -> str | None:
    """The text with every size that its functions take from a shape or a length read from outside instead.

    The names are bound to the example's sizes: the functions are defined twice, first so that they note
    their sizes while they compute the example. None where no function of these tasks takes a size.
    """
    module = ast.parse(text)
    names: dict[str, str] = {}
    if not any(name in tasks for name in _reading_sizes(module)):
        return None
    noting = _SizesOutside(names, "_noted({name!r}, {size})").visit(ast.parse(text))
    reading = _SizesOutside(names, "{name}").visit(module)
    lines = [f"{name} = 1" for name in names.values()]
    lines.append("def _noted(name, size):\n    globals()[name] = int(size)\n    return size")
    lines.append(ast.unparse(noting))
    for one in published:
        if isinstance(one.case.call, FunctionCall):
            arguments = ", ".join(map(_literal, one.case.call.args))
            lines.append(f"try:\n    {one.case.call.name}({arguments})\nexcept Exception:\n    pass")
    return "\n".join([*lines, ast.unparse(reading)])


class _SizesOutside(ast.NodeTransformer):
    """Puts a template's expression in the place of every size within a function of the module."""

    def __init__(self, names: dict[str, str], template: str) -> None:
        self._names, self._template = names, template
        self._function = ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outer, self._function = self._function, self._function or node.name
        node.body = [self.visit(statement) for statement in node.body]
        self._function = outer
        return node

    def visit(self, node: ast.AST) -> Any:
        if not self._function or not _is_size(node):
            return super().visit(node)
        size = ast.unparse(node)
        name = self._names.setdefault(f"{self._function}: {size}", SIZE.format(len(self._names) + 1))
        return ast.parse(self._template.format(name=name, size=size), mode="eval").body


def _is_size(node: ast.AST) -> bool:
    """Whether an expression is ``x.shape[1]`` or ``len(x)``."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _functions(module: ast.Module) -> Mapping[str, ast.FunctionDef]:
    return {one.name: one for one in module.body if isinstance(one, ast.FunctionDef)}


def _reading_sizes(module: ast.Module) -> Iterator[str]:
    """Yield the functions that take a size, or use one that does."""
    functions = _functions(module)
    inside = {name: list(ast.walk(one)) for name, one in functions.items()}
    found = {name for name, nodes in inside.items() if any(map(_is_size, nodes))}
    while (
        more := {
            name
            for name, nodes in inside.items()
            if any(isinstance(node, ast.Name) and node.id in found for node in nodes)
        }
        - found
    ):
        found |= more
    yield from found


def _literal(value: Any) -> str:
    """Write an argument as Python."""
    if isinstance(value, Tensor):
        return f"torch.tensor({value.array.tolist()!r}, requires_grad={value.requires_grad})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)
