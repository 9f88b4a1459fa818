"""Other forms in which students hand in a mistake: a notebook, a value without its function, outside sizes.

Each is made of a mutant's text by rules, with the published example as its data.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.authoring.statements import with_what_is_used
from autograder.course.calls import FunctionCall
from autograder.course.homework import Task
from autograder.course.statements import line_numbers
from autograder.course.stub import solution_lines
from autograder.reasons.outside import NAMES_AT_ONCE
from autograder.sandbox.request import Cell, Code
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor

NOTED = """\
def _noted(name, size):
    globals()[name] = int(size)
    return size"""
"""Stands above functions that note the sizes that they take, each in a global name."""


@dataclass(frozen=True)
class OutsideSizes:
    """A submission that reads sizes from outside its functions.

    Attributes:
        text: the text of the submission.
        sizes: what it no longer takes from arguments, such as ``len(x) in softmax``.
    """

    text: str
    sizes: tuple[str, ...]


def as_notebook(stub: str, text: str) -> Code:
    """Return a notebook with one cell for each statement at the top level of a text."""
    cells = []
    for number, statement in enumerate(ast.parse(text).body, 1):
        cells.append(Cell(number, ast.unparse(statement)))
    return Code(f"{stub.removesuffix('.py')}.ipynb", cells=cells)


def as_value(text: str, task: Task, published: KnownCase) -> str | None:
    """Take a task's function apart: its body stands at the top level and runs on the published example.

    Args:
        text: the text of a submission.
        task: the task whose function it is.
        published: the example.

    Returns:
        The text, or None if the function does not end in its one ``return``, or the task accepts no value.
    """
    module = ast.parse(text)
    call = published.case.call
    function = None
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == task.name:
            function = statement
            break
    if function is None or task.value is None:
        return None
    if not isinstance(call, FunctionCall):
        return None
    *body, last = function.body
    if not isinstance(last, ast.Return) or last.value is None:
        return None

    module.body.remove(function)
    lines = [ast.unparse(module)]
    parameters = [parameter.arg for parameter in function.args.args]
    for name, argument in zip(parameters, call.args, strict=False):
        value = _literal(argument)
        lines.append(f"{name} = {value}")
    for statement in body:
        lines.append(ast.unparse(statement))
    result = ast.unparse(last.value)
    lines.append(f"{task.value} = {result}")
    return "\n".join(lines)


def with_outside_sizes(
    text: str,
    published: Sequence[KnownCase],
    tasks: Collection[str],
) -> OutsideSizes | None:
    """Let the functions of some tasks read their sizes from outside instead of from a shape or a length.

    So do functions that students write for them. All others stay as they are: what is given to students, and
    other tasks, whose answers may not show what they read. The names are bound to the
    example's sizes: the functions are defined twice, first so that they note their sizes while they compute
    the example.

    Args:
        text: the text of a submission.
        published: the example's cases.
        tasks: the tasks whose functions are rewritten.

    Returns:
        The submission, or None if no function of the tasks takes a size, or there is no example.
    """
    examples = []
    other_tasks = set()
    for known in published:
        if known.case.task in tasks:
            examples.append(known.case.call)
        else:
            other_tasks.add(known.case.task)
    functions = _readers_of_sizes(text, tasks, other_tasks)
    if not functions or not examples:
        return None

    names: dict[str, str] = {}
    noting = ast.parse(text)
    noting = _SizesOutside(functions, names, "_noted({name!r}, {size})").visit(noting)
    reading = ast.parse(text)
    reading = _SizesOutside(functions, names, "{name}").visit(reading)
    lines = [f"{name} = 1" for name in names.values()]
    lines += [NOTED, ast.unparse(noting)]
    for call in examples:
        if isinstance(call, FunctionCall):
            arguments = ", ".join(map(_literal, call.args))
            lines.append(f"{call.name}({arguments})")
    lines.append(ast.unparse(reading))
    return OutsideSizes("\n".join(lines), tuple(names))


class _SizesOutside(ast.NodeTransformer):
    """Puts an expression in the place of every size within some functions of a module.

    Args:
        functions: the names of the functions.
        names: the global name of each size, by the size and its function; new sizes are added.
        template: the expression, with ``{name}`` and ``{size}``.
    """

    def __init__(
        self, functions: Collection[str], names: dict[str, str], template: str
    ) -> None:
        self._functions = functions
        self._names = names
        self._template = template
        self._function = ""  # the outermost one around the node that is visited

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self._function:
            node.body = [self.visit(statement) for statement in node.body]
        elif node.name in self._functions:
            self._function = node.name
            node.body = [self.visit(statement) for statement in node.body]
            self._function = ""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # a method may have the name of a function

    def visit(self, node: ast.AST) -> Any:
        if not self._function or not _is_size(node):
            return super().visit(node)
        size = ast.unparse(node)
        key = f"{size} in {self._function}"
        if key not in self._names:
            self._names[key] = f"SIZE_{len(self._names) + 1}"
        name = self._names[key]
        expression = self._template.format(name=name, size=size)
        return ast.parse(expression, mode="eval").body


def _is_size(node: ast.AST) -> bool:
    """Return whether an expression is ``x.shape[1]`` or ``len(x)``."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return False


def _sizes_in(function: ast.AST) -> set[str]:
    sizes = set()
    for node in ast.walk(function):
        if _is_size(node):
            sizes.add(ast.unparse(node))
    return sizes


def _readers_of_sizes(
    text: str,
    tasks: Collection[str],
    other_tasks: Collection[str],
) -> set[str]:
    """Return the functions of tasks, and what students write for them, that take a few sizes.

    Of more, not all can be found.
    """
    module = ast.parse(text)
    used = with_what_is_used(module.body, set(tasks))
    students_lines = solution_lines(text)
    readers = set()
    for node in module.body:
        if not isinstance(node, ast.FunctionDef) or node not in used:
            continue
        is_students = not students_lines.isdisjoint(line_numbers(node))
        is_own = node.name in tasks or is_students
        if not is_own or node.name in other_tasks:
            continue
        if 0 < len(_sizes_in(node)) <= NAMES_AT_ONCE:
            readers.add(node.name)
    return readers


def _literal(value: Any) -> str:
    """Write a value as Python."""
    if isinstance(value, Tensor):
        numbers = value.array.tolist()
        options = (
            f"dtype=torch.{value.array.dtype}, requires_grad={value.requires_grad}"
        )
        return f"torch.tensor({numbers!r}, {options})"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)
