"""Cut a solution into the parts that become cells: its imports, and each function, class and value."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import pairwise

from autograder.homework.model import CourseError

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Parts:
    """The parts of one source file, as text, marks of solution regions included."""

    name: str
    imports: str
    by_name: dict[str, str]

    def part(self, name: str) -> str:
        """Return the text that defines a name.

        Raises:
            CourseError: nothing on the outermost level defines it.
        """
        if name not in self.by_name:
            known = ", ".join(self.by_name)
            raise CourseError(f"{self.name} defines no {name!r}; its notebook may ask for: {known}")
        return self.by_name[name]


def cut(source: str, name: str) -> Parts:
    """Return the parts of a source file; comments above a part, and statements that follow it, belong to it.

    Raises:
        CourseError: the source is no valid Python.
    """
    try:
        nodes = ast.parse(source).body
    except SyntaxError as error:
        raise CourseError(f"{name}: no valid Python: {error}") from error
    lines = source.split("\n")
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {node_name: _start(node, lines) for node in nodes if (node_name := _name(node))}
    borders = pairwise([*named.values(), len(lines)])
    texts = {
        key: "\n".join(lines[start:end]).rstrip() for key, (start, end) in zip(named, borders, strict=True)
    }
    return Parts(name, "\n".join(imports), texts)


def _start(node: ast.stmt, lines: list[str]) -> int:
    """The index of a part's first line: a decorator, or a comment right above."""
    decorators = node.decorator_list if isinstance(node, Definition) else []
    first = min([node.lineno, *(one.lineno for one in decorators)]) - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _name(node: ast.stmt) -> str:
    if isinstance(node, Definition):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((one.id for one in targets if isinstance(one, ast.Name)), "")
