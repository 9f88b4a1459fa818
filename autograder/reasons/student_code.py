"""The functions of a student's code as text: where each stands, and what it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.course.homework import CourseError
from autograder.language import say
from autograder.reasons.catalogue import Definition, Solution
from autograder.sandbox.request import Code

MOST_CHARACTERS = 200_000
"""A longer text is not read."""
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
"""A command of IPython, which is no Python."""


@dataclass(frozen=True)
class WrittenFunction:
    """A function or class that a student wrote.

    Attributes:
        name: its name.
        module: the text around it: the file, or the notebook's cell.
        cell: the number of the cell; None in a file.
    """

    name: str
    module: Solution
    cell: int | None = None

    @property
    def definition(self) -> Definition:
        return self.module.parts[self.name]

    @property
    def text(self) -> str:
        return self.module.text[self.definition.start : self.definition.end]

    def line(self, number: int) -> str:
        """Return a line of the module, without its margin."""
        return self.module.text.split("\n")[number - 1].strip()

    def place(self, number: int) -> str:
        """Return the words for a line: "line 7", or "line 7 of cell 3"."""
        if self.cell is None:
            return say("line {number}", number=number)
        return say("line {number} of cell {cell}", number=number, cell=self.cell)

    @cached_property
    def names_used(self) -> set[str]:
        names = set()
        for node in ast.walk(self.definition.node):
            if isinstance(node, ast.Name):
                names.add(node.id)
        return names


@dataclass(frozen=True)
class StudentCode:
    """The code of one submission for one homework, read as text.

    Attributes:
        functions: its top-level functions and classes by name; of several of one name, the last. Cells and
            files that are no Python have none.
    """

    functions: Mapping[str, WrittenFunction]

    def used_by(self, name: str) -> list[WrittenFunction]:
        """Return a function, and after it those that it calls, directly or through others."""
        reached: dict[str, WrittenFunction] = {}
        waiting = [name]
        while waiting:
            next_name = waiting.pop(0)
            function = self.functions.get(next_name)
            if function is None or next_name in reached:
                continue
            reached[next_name] = function
            waiting += sorted(function.names_used)
        return list(reached.values())


def read_code(code: Code) -> StudentCode:
    """Read the functions of a submission's entry file, or of a notebook's cells."""
    texts: list[tuple[int | None, str]] = [(None, code.files.get(code.entry, ""))]
    if code.cells is not None:
        texts = []
        for cell in code.cells:
            without_magics = MAGIC.sub("", cell.source)
            texts.append((cell.number, without_magics))
    functions = {}
    for cell_number, text in texts:
        module = Solution(Path(code.entry), text.replace("\r\n", "\n"))
        for name in _names_in(module):
            functions[name] = WrittenFunction(name, module, cell_number)
    return StudentCode(functions)


def _names_in(module: Solution) -> list[str]:
    """Return the names of the functions and classes of a text, or none where it cannot be read as Python."""
    if len(module.text) > MOST_CHARACTERS:
        return []
    try:
        return list(module.parts)
    except (CourseError, ValueError, RecursionError, MemoryError):
        # A syntax error, a null character, or expressions nested too deep for the parser.
        return []
