"""Edits of a reference solution: exact texts replaced inside one function, or its whole body."""

from __future__ import annotations

import ast
import fnmatch
import itertools
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.course import CourseError

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, order=True)
class Edit:
    """The characters from ``start`` to ``end`` of a solution's text become ``new``."""

    start: int
    end: int
    new: str

    def clashes(self, other: Edit) -> bool:
        """Whether both change the same characters, each in its own way."""
        return self != other and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Solution:
    """A homework's reference solution, and ``helpers``: functions below it that only mistakes use."""

    path: Path
    text: str
    helpers: str = ""

    @property
    def whole(self) -> str:
        """The text that is edited."""
        return f"{self.text}\n\n{self.helpers.strip()}\n" if self.helpers else self.text

    @cached_property
    def parts(self) -> Mapping[str, tuple[int, int]]:
        """Where each function and class of the module begins and ends, by its name."""
        return {name: self._span(node) for name, node in self._definitions.items() if "." not in name}

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        """All functions and classes; a method is named ``Class.method``."""
        try:
            return dict(_named(ast.parse(self.whole).body))
        except SyntaxError as error:
            raise CourseError(f"{self.path}, with the helpers of its mistakes: {error}") from error

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins, at the line's number; the first is line 1."""
        lengths = [len(line) + 1 for line in self.whole.split("\n")]
        return [0, *itertools.accumulate(lengths, initial=0)]

    def matching(self, pattern: str) -> list[str]:
        """Return the names of the functions that a pattern such as ``self_attention_*`` means.

        Raises:
            ValueError: there is none.
        """
        found = fnmatch.filter(self._definitions, pattern)
        if not found:
            raise ValueError(f"{self.path.name} has no {pattern}; it has {', '.join(self._definitions)}")
        return found

    def replace(self, function: str, old: str, new: str) -> Edit:
        """Return the edit that puts ``new`` for a text that occurs once in the function's code.

        Its docstring and the comments between docstring and code are not searched.

        Raises:
            ValueError: the text does not occur there exactly once.
        """
        node = self._definitions[function]
        start, end = self._span(node)
        header, code = self._around_docstring(node)
        places = [place for place in _places(old, self.whole, start, end) if not header <= place < code]
        if len(places) != 1:
            raise ValueError(
                f"{old!r} occurs {len(places)} times in the code of {function} "
                f"({self.path.name}, line {node.lineno}), and must occur there exactly once"
            )
        return Edit(places[0], places[0] + len(old), new)

    def replace_body(self, function: str, body: str) -> Edit:
        """Return the edit that gives the function another body; its docstring stays."""
        node = self._definitions[function]
        _, start = self._around_docstring(node)
        margin = " " * node.body[0].col_offset
        return Edit(start, self._span(node)[1], textwrap.indent(textwrap.dedent(body).strip("\n"), margin))

    def edited(self, edits: Collection[Edit]) -> str:
        """Return the text of a module that makes the edits; it has helpers only where they are edited."""
        edits_helpers = any(edit.start >= len(self.text) for edit in edits)
        return _edited(self.whole if edits_helpers else self.text, edits)

    def edited_parts(self, edits: Collection[Edit]) -> Iterator[str]:
        """Yield the new text of each function or class of the module that the edits change."""
        for start, end in self.parts.values():
            own = [Edit(e.start - start, e.end - start, e.new) for e in edits if start <= e.start < end]
            if own:
                yield _edited(self.whole[start:end], own)

    def reached_by(self, edits: Collection[Edit]) -> set[str]:
        """Return the functions and classes of the module that the edits change, and all that use them."""
        reached = {name for name, (start, end) in self.parts.items() for e in edits if start <= e.start < end}
        while more := {name for name, used in self._uses.items() if used & reached} - reached:
            reached |= more
        return reached

    @cached_property
    def _uses(self) -> Mapping[str, set[str]]:
        return {
            name: {node.id for node in ast.walk(self._definitions[name]) if isinstance(node, ast.Name)}
            for name in self.parts
        }

    def _span(self, node: Definition) -> tuple[int, int]:
        """Where the lines of a definition begin, decorators included, and where the last of them ends."""
        first = min(one.lineno for one in (node, *node.decorator_list))
        return self._lines[first], self._lines[(node.end_lineno or node.lineno) + 1] - 1

    def _around_docstring(self, node: Definition) -> tuple[int, int]:
        """Where a docstring begins, and where the first statement below it."""
        first, *others = node.body
        has_docstring = ast.get_docstring(node) is not None and others
        return self._lines[first.lineno], self._lines[(others[0] if has_docstring else first).lineno]


def _named(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, Definition):
            yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from _named(node.body, f"{prefix}{node.name}.")


def _places(wanted: str, text: str, start: int, end: int) -> Iterator[int]:
    place = text.find(wanted, start, end)
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1, end)


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """Make the edits from the last one to the first: none moves the place of another."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
