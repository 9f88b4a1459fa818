"""The text of a Python module, such as the reference solution, its functions and classes, and edits of it."""

from __future__ import annotations

import ast
import difflib
import fnmatch
import itertools
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.course.homework import CourseError
from autograder.course.statements import line_numbers, names_in

MOST_PLACES = 5
"""So many lines are named where a text occurs too often."""


@dataclass(frozen=True, order=True)
class Edit:
    """The characters from ``start`` to ``end`` of a solution's text become ``new``."""

    start: int
    end: int
    new: str

    def clashes(self, other: Edit) -> bool:
        """Return whether both change the same characters, each in its own way."""
        return self != other and self.start < other.end and other.start < self.end


def clash(edits: Iterable[Edit], other_edits: Iterable[Edit]) -> bool:
    """Return whether two sets of edits change the same characters in different ways."""
    pairs = itertools.product(edits, other_edits)
    return any(edit.clashes(other) for edit, other in pairs)


@dataclass(frozen=True)
class Definition:
    """A function or class of a solution, and where in the text it stands.

    Attributes:
        node: the definition as Python parses it.
        start: the first character of its lines, decorators included.
        header: the first character of its docstring's line, or of the code where it has none.
        code: the first character of its code; docstring and comments stand before it.
        end: the character after its last line.
    """

    node: ast.FunctionDef | ast.ClassDef
    start: int
    header: int
    code: int
    end: int

    def names_used(self) -> set[str]:
        """Return the names that the code of the definition uses."""
        return names_in(self.node)

    def holds(self, edit: Edit) -> bool:
        """Return whether the edit changes it."""
        return self.start <= edit.start < self.end


@dataclass(frozen=True)
class SourceText:
    """The text of a module, such as a homework's reference solution, as edits change it.

    Attributes:
        path: the file, for messages.
        text: its text.
        helpers: functions below it that only mutants use.
    """

    path: Path
    text: str
    helpers: str = ""

    @property
    def whole(self) -> str:
        """The text that is edited."""
        if not self.helpers:
            return self.text
        return f"{self.text}\n\n{self.helpers.strip()}\n"

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """Where each line begins, and where the text ends; the first line has the number 1."""
        starts = [0, 0]
        for line in self.whole.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def statements(self) -> Sequence[ast.stmt]:
        """The statements at the top level.

        Raises:
            CourseError: the text is no Python.
        """
        try:
            module = ast.parse(self.whole)
        except SyntaxError as error:
            raise CourseError(
                f"{self.path}, with the helpers of its mistakes: {error}"
            ) from error
        return module.body

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """All functions and classes; a method is named ``Class.method``."""
        return dict(_definitions_in(self.statements, self.line_starts))

    @cached_property
    def parts(self) -> Mapping[str, Definition]:
        """The functions and classes of the module itself."""
        parts = {}
        for name, definition in self.definitions.items():
            if "." not in name:
                parts[name] = definition
        return parts

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return the names of a function's arguments; for a class, of its constructor and ``forward``."""
        parameters = []
        for function in (name, f"{name}.__init__", f"{name}.forward"):
            node = getattr(self.definitions.get(function), "node", None)
            if not isinstance(node, ast.FunctionDef):
                continue
            for argument in node.args.args:
                if argument.arg != "self":
                    parameters.append(argument.arg)
        return tuple(parameters)

    def matching(self, pattern: str) -> list[str]:
        """Return the functions that a pattern such as ``self_attention_*`` means.

        Raises:
            ValueError: there is none.
        """
        names = fnmatch.filter(self.definitions, pattern)
        if not names:
            raise ValueError(
                f"{self.path.name} has no {pattern}; it has "
                f"{', '.join(self.definitions)}"
            )
        return names

    def replace(self, function: str, old: str, new: str) -> Edit:
        """Return the edit that puts ``new`` for a text that occurs once in the function's code.

        Its docstring and the comments between docstring and code are not searched.

        Raises:
            ValueError: the text does not occur there exactly once.
        """
        definition = self.definitions[function]
        overlapping = re.compile(f"(?={re.escape(old)})")
        places = []
        for match in overlapping.finditer(self.whole, definition.start, definition.end):
            if not definition.header <= match.start() < definition.code:
                places.append(match.start())
        if len(places) != 1:
            line = definition.node.lineno
            where = f"the code of {function} ({self.path.name}, line {line})"
            hint = self._help_with(definition, old, places)
            raise ValueError(
                f"{old!r} occurs {len(places)} times in {where}, and must occur there "
                f"exactly once; {hint}"
            )
        [start] = places
        return Edit(start, start + len(old), new)

    def _help_with(
        self, definition: Definition, old: str, places: Sequence[int]
    ) -> str:
        """Say in which lines a text occurs, or which line comes nearest to it."""
        if places:
            lines = [self.whole.count("\n", 0, place) + 1 for place in places]
            listed = ", ".join(map(str, list(dict.fromkeys(lines))[:MOST_PLACES]))
            return f"it is in line {listed}: take more of the text around it"

        def likeness(numbered_line: tuple[int, str]) -> float:
            _, line = numbered_line
            matcher = difflib.SequenceMatcher(None, old.strip(), line.strip())
            return matcher.ratio()

        code = self.whole[definition.code : definition.end]
        first_line = self.whole.count("\n", 0, definition.code) + 1
        number, line = max(enumerate(code.split("\n"), start=first_line), key=likeness)
        return f"line {number} comes nearest: {line.strip()!r}"

    def replace_body(self, function: str, body: str) -> Edit:
        """Return the edit that gives the function another body; its docstring stays."""
        definition = self.definitions[function]
        first_statement = definition.node.body[0]
        margin = " " * first_statement.col_offset
        new = textwrap.indent(textwrap.dedent(body).strip("\n"), margin)
        return Edit(definition.code, definition.end, new)

    def edited(self, edits: Collection[Edit]) -> str:
        """Return the text of a module that makes the edits; it has helpers only where they are edited."""
        if any(edit.start >= len(self.text) for edit in edits):
            return _edited(self.whole, edits)
        return _edited(self.text, edits)

    def edited_parts(self, edits: Collection[Edit]) -> Iterator[str]:
        """Yield the new text of each function or class of the module that the edits change."""
        for definition in self.parts.values():
            edits_of_part = list(filter(definition.holds, edits))
            if edits_of_part:
                text = _edited(self.whole[: definition.end], edits_of_part)
                yield text[definition.start :]

    def reached_by(self, edits: Collection[Edit]) -> set[str]:
        """Return the functions and classes of the module that the edits change, and all that use them."""
        reached: set[str] = set()
        users = set()
        for name, definition in self.parts.items():
            if any(map(definition.holds, edits)):
                users.add(name)
        while users - reached:
            reached |= users
            users = set()
            for name, used in self._uses.items():
                if used & reached:
                    users.add(name)
        return reached

    @cached_property
    def _uses(self) -> Mapping[str, set[str]]:
        """The names that each function or class of the module uses."""
        return {name: part.names_used() for name, part in self.parts.items()}


def _definitions_in(
    body: Iterable[ast.stmt], begins: Sequence[int], prefix: str = ""
) -> Iterator[tuple[str, Definition]]:
    """Yield the functions and classes among statements, with their names, and those within the classes.

    Args:
        body: the statements.
        begins: the character at which each line begins, by the line's number.
        prefix: put before each name.
    """
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        numbers = line_numbers(node)
        first_statement = node.body[0]
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            first_statement = node.body[1]
        definition = Definition(
            node=node,
            start=begins[numbers.start],
            header=begins[node.body[0].lineno],
            code=begins[first_statement.lineno],
            end=begins[numbers.stop] - 1,
        )
        yield prefix + node.name, definition
        if isinstance(node, ast.ClassDef):
            yield from _definitions_in(node.body, begins, f"{prefix}{node.name}.")


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """Make the edits from the last one to the first: none moves the place of another."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
