"""The functions of a student's code as text: where each stands, and what it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.course.homework import CourseError
from autograder.language import say
from autograder.reasons.sites import BoundNames
from autograder.reasons.source_text import Definition, SourceText
from autograder.sandbox.request import Code

MOST_CHARACTERS = 200_000
"""A longer text is not read."""
UNREADABLE = (CourseError, ValueError, RecursionError, MemoryError)
"""What reading a text raises: a syntax error, a null character, or expressions nested too deep for the parser."""
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
"""A command of IPython, which is no Python."""
SECOND_NAME = re.compile(
    r"^[\w.\[\], ]+ = (\w+(\[.*\])?|list\(.*|tuple\(.*|[\w.\[\], ]+ = .*) *(#.*)?$"
    r"|\.append\(|asarray\("
    r"|for [^\n]*\b(?P<item>\w+)\b[^\n]* in [^\n]*:\s+(?P=item) = ",
    re.MULTILINE,
)
"""A line that may give an object a second name, such as `scaled = scores`, or an item's name to something else."""
MAY_KEEP = re.compile(
    r"^(@|class\b|try\b|if\b|for\b|while\b|with\b)"
    r"|^(?!answers\b)[A-Za-z_][^\n=(#]*=(?!=)"
    r"|\b(global|nonlocal|globals|vars|setattr|exec)\b"
    r"|^[^\n=(#]*\w\.\w+[^\n=(#]*=(?!=)"
    r"|\bdef .*=(?! *(None|True|False|[-\d.\"']))"
    r"|^[ \t]+\w+ *(:[^\n=]*)?= *(?! *(None|True|False|[-\d.\"'=]))[^\n]*,$",
    re.MULTILINE,
)
"""What may keep something from call to call.

A decorator, a class, a statement or a name at the top that is no function, another scope's name, an attribute
that is set, or a default value that is no plain one. Some code that keeps nothing looks like this, too.
"""
UNSET_MEMORY = re.compile(r"\b(new_)?empty(_like)?\b|\bwhere\s*=")
"""What may leave memory as it was: `np.empty`, or the `where` of a function such as `np.exp`."""


@dataclass(frozen=True)
class WrittenFunction:
    """A function or class that a student wrote.

    Attributes:
        name: its name.
        module: the text around it: the file, or the notebook's cell.
        cell: the number of the cell; None in a file.
        names_around: the names that the code of all cells binds.
    """

    name: str
    module: SourceText
    cell: int | None = None
    names_around: BoundNames = field(default_factory=BoundNames, hash=False)

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
        return _place(number, self.cell)

    @cached_property
    def names_used(self) -> set[str]:
        return self.definition.names_used()


@dataclass(frozen=True, eq=False)
class StudentCode:
    """The code of one submission for one homework, read as text when it is first needed."""

    code: Code

    @cached_property
    def texts(self) -> Sequence[tuple[int | None, str]]:
        """The text of the entry file, or of each cell with its number."""
        code = self.code
        if code.cells is None:
            return [(None, code.files.get(code.entry, ""))]
        texts = []
        for cell in code.cells:
            texts.append((cell.number, MAGIC.sub("", cell.source)))
        return texts

    @cached_property
    def modules(self) -> Sequence[tuple[int | None, SourceText]]:
        """The same texts as modules of Python, which are parsed when they are first needed."""
        modules = []
        for cell_number, text in self.texts:
            text = text.replace("\r\n", "\n")
            modules.append((cell_number, SourceText(Path(self.code.entry), text)))
        return modules

    @cached_property
    def statements(self) -> Sequence[ast.stmt] | None:
        """The statements at the top level of all texts; None where one cannot be read as Python."""
        statements: list[ast.stmt] = []
        for _, module in self.modules:
            if len(module.text) > MOST_CHARACTERS:
                return None
            try:
                statements += module.statements
            except UNREADABLE:
                return None
        return statements

    @cached_property
    def functions(self) -> Mapping[str, WrittenFunction]:
        """The top-level functions and classes by name; of several of one name, the last.

        Cells and files that are no Python have none.
        """
        readable_modules = []
        names_around = BoundNames()
        for cell_number, module in self.modules:
            if _is_readable(module):
                readable_modules.append((cell_number, module))
                names_around.add_around(module.statements)
                names_around.add_definitions(module.definitions)
        functions = {}
        for cell_number, module in readable_modules:
            for name in module.parts:
                functions[name] = WrittenFunction(
                    name, module, cell_number, names_around
                )
        return functions

    def used_by(self, name: str) -> list[WrittenFunction]:
        """Return a function, and after it those that it calls, directly or through others."""
        reached: dict[str, WrittenFunction] = {}
        waiting = [name]
        for next_name in waiting:
            function = self.functions.get(next_name)
            if function is not None and next_name not in reached:
                reached[next_name] = function
                waiting += sorted(function.names_used)
        return list(reached.values())

    def place_of(self, file: str | None, number: int) -> tuple[str, str]:
        """Return the words for a line that a report names, and its text; no text where it is not in this code."""
        for cell, text in self.texts:
            lines = text.split("\n")
            name = self.code.entry if cell is None else f"cell {cell}"
            if name == file and 1 <= number <= len(lines):
                return _place(number, cell), lines[number - 1].strip()
        return "", ""

    @cached_property
    def may_share_objects(self) -> bool:
        """Whether a second name is given to something anywhere: a quick look before anything is parsed."""
        return any(SECOND_NAME.search(text) for _, text in self.texts)

    @cached_property
    def may_keep_something(self) -> bool:
        """Whether something may be kept from one call to the next: a quick look, like the one above."""
        if len(self.code.files) > 1:
            return True
        return any(MAY_KEEP.search(text) for _, text in self.texts)

    @cached_property
    def may_leave_memory_unset(self) -> bool:
        """Whether memory may be read that nothing was written into: a quick look, like the one above."""
        return any(UNSET_MEMORY.search(text) for _, text in self.texts)


def _place(number: int, cell: int | None) -> str:
    if cell is None:
        return say("line {number}", number=number)
    return say("line {number} of cell {cell}", number=number, cell=cell)


def _is_readable(module: SourceText) -> bool:
    """Return whether a text can be read as Python, and is not too long."""
    if len(module.text) > MOST_CHARACTERS:
        return False
    try:
        module.definitions  # noqa: B018
    except UNREADABLE:
        return False
    return True
