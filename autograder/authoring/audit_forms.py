"""Other forms in which students hand in a mistake: a notebook, a value without its function, outside sizes.

Each is made of a mutant's text by rules, with the published example as its data.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.cases import FunctionCall
from autograder.course.homework import Task
from autograder.reasons.catalogue import Edit, Solution
from autograder.reasons.outside import NAMES_AT_ONCE
from autograder.sandbox.request import Cell, Code
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor


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
    functions = (one for one in module.body if isinstance(one, ast.FunctionDef))
    function = next((one for one in functions if one.name == task.name), None)
    if task.value is None or function is None or not isinstance(call, FunctionCall):
        return None
    *body, last = function.body
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    names = [argument.arg for argument in function.args.args]
    example = [
        f"{name} = {_literal(value)}"
        for name, value in zip(names, call.args, strict=False)
    ]
    result = f"{task.value} = {ast.unparse(last.value)}"
    module.body.remove(function)
    return "\n".join([ast.unparse(module), *example, *map(ast.unparse, body), result])


def with_outside_sizes(
    text: str, published: Sequence[KnownCase], tasks: Collection[str]
) -> str | None:
    """The text with every size that its functions take from a shape or a length read from outside instead.

    The names are bound to the example's sizes: the functions are defined twice, first so that they note
    their sizes while they compute the example. None where no function of these tasks takes a size, or
    there is no example.
    """
    module = ast.parse(text)
    names: dict[str, str] = {}
    reading = _reading_sizes(text)
    examples = [known.case.call for known in published if known.case.task in reading]
    if not reading & set(tasks) or not examples:
        return None
    noting = _SizesOutside(names, "_noted({name!r}, {size})").visit(ast.parse(text))
    lines = [f"{name} = 1" for name in names.values()]
    lines.append(
        "def _noted(name, size):\n    globals()[name] = int(size)\n    return size"
    )
    lines.append(ast.unparse(noting))
    lines += [
        f"{call.name}({', '.join(map(_literal, call.args))})"
        for call in examples
        if isinstance(call, FunctionCall)
    ]
    return "\n".join(
        [*lines, ast.unparse(_SizesOutside(names, "{name}").visit(module))]
    )


class _SizesOutside(ast.NodeTransformer):
    """Puts a template's expression in the place of every size within a function of the module."""

    def __init__(self, names: dict[str, str], template: str) -> None:
        self._names, self._template = names, template
        self._function = ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        is_whole = bool(self._function)
        if is_whole or len(_sizes_in(node)) <= NAMES_AT_ONCE:
            self._function = self._function or node.name
            node.body = [self.visit(statement) for statement in node.body]
        self._function = self._function if is_whole else ""
        return node

    def visit(self, node: ast.AST) -> Any:
        if not self._function or not _is_size(node):
            return super().visit(node)
        size = ast.unparse(node)
        name = self._names.setdefault(
            f"{self._function}: {size}", f"SIZE_{len(self._names) + 1}"
        )
        return ast.parse(self._template.format(name=name, size=size), mode="eval").body


def _is_size(node: ast.AST) -> bool:
    """Whether an expression is ``x.shape[1]`` or ``len(x)``."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
    )


def _sizes_in(function: ast.AST) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(function) if _is_size(node)}


def _reading_sizes(text: str) -> set[str]:
    """Return the functions that take a size, or use one that does; of more sizes, not all can be found."""
    solution = Solution(Path(), text)
    functions = [
        one for one in solution.parts.values() if isinstance(one.node, ast.FunctionDef)
    ]
    taking = [one for one in functions if 0 < len(_sizes_in(one.node)) <= NAMES_AT_ONCE]
    return solution.reached_by([Edit(one.code, one.code, "") for one in taking])


def _literal(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"torch.tensor({value.array.tolist()!r}, requires_grad={value.requires_grad})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)
