"""The misconceptions of a homework, as ``misconceptions.toml`` lists them, each an edit of the solution.

An edit replaces an exact text inside one function, or the function's whole body. The solution with the edits
of a misconception is its mutant.
"""

from __future__ import annotations

import ast
import difflib
import fnmatch
import itertools
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, field

from autograder.course.homework import CourseError, Homework
from autograder.course.schema import (
    Record,
    Text,
    Texts,
    parse_toml,
    read_text,
    read_toml,
    typed,
)
from autograder.course.statements import line_numbers

CATALOGUE = "misconceptions.toml"
HELPERS = "helpers"
MOST_PLACES = 5
"""So many lines are named where a text occurs too often."""
Replacements = Annotated[
    dict[str, tuple[tuple[str, str], ...]],
    Meta(
        description="for each function a list of [text in the solution, text in its place]"
    ),
]
Bodies = Annotated[
    dict[str, Text], Meta(description="for each function a text that is not blank")
]


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
class Misconception:
    """One known mistake, or one form of it.

    Attributes:
        id: its name in the file; that of a form is ``mistake/form``.
        tasks: names of the tasks in which it shows.
        says: the sentence for the student: what the code does and what the formula asks, never the solution.
        edits: what it changes in the reference solution.
        excludes: misconceptions that are not looked for together with this one.
        alone: whether these are all others.
        about_size: it fixes a size. Where the code reads a size from outside the function, naming what it
            reads is the better reason.
        by_exception: the exception it raises proves it, whatever the code would do after it.
    """

    id: str
    tasks: tuple[str, ...]
    says: str
    edits: frozenset[Edit] = frozenset()
    excludes: frozenset[str] = frozenset()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False

    def goes_with(self, other: Misconception) -> bool:
        """Return whether both can be made, and explained, together.

        Where one makes all edits of the other, the other is no further mistake.
        """
        if self.alone or other.alone:
            return False
        if other.id in self.excludes or self.id in other.excludes:
            return False
        if self.edits <= other.edits or other.edits <= self.edits:
            return False
        return not clash(self.edits, other.edits)


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

    def holds(self, edit: Edit) -> bool:
        """Return whether the edit changes it."""
        return self.start <= edit.start < self.end


@dataclass(frozen=True)
class Solution:
    """The text of a homework's reference solution, as edits change it.

    Attributes:
        path: the file of the solution, for messages.
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
    def definitions(self) -> Mapping[str, Definition]:
        """All functions and classes; a method is named ``Class.method``."""
        try:
            module = ast.parse(self.whole)
        except SyntaxError as error:
            raise CourseError(
                f"{self.path}, with the helpers of its mistakes: {error}"
            ) from error
        return dict(_definitions_in(module.body, self.line_starts))

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
            definition = self.definitions.get(function)
            if definition is None or not isinstance(definition.node, ast.FunctionDef):
                continue
            for argument in definition.node.args.args:
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
            lines = []
            for place in places:
                line_number = self.whole.count("\n", 0, place) + 1
                lines.append(str(line_number))
            distinct = list(dict.fromkeys(lines))
            listed = ", ".join(distinct[:MOST_PLACES])
            return f"it is in line {listed}: take more of the text around it"

        code = self.whole[definition.code : definition.end]
        first_line = self.whole.count("\n", 0, definition.code) + 1
        nearest = ""
        nearest_line = first_line
        largest_ratio = -1.0
        for number, line in enumerate(code.split("\n"), start=first_line):
            line = line.strip()
            ratio = difflib.SequenceMatcher(None, old.strip(), line).ratio()
            if ratio > largest_ratio:
                nearest = line
                nearest_line = number
                largest_ratio = ratio
        return f"line {nearest_line} comes nearest: {nearest!r}"

    def replace_body(self, function: str, body: str) -> Edit:
        """Return the edit that gives the function another body; its docstring stays."""
        definition = self.definitions[function]
        first_statement = definition.node.body[0]
        margin = " " * first_statement.col_offset
        dedented = textwrap.dedent(body).strip("\n")
        indented = textwrap.indent(dedented, margin)
        return Edit(definition.code, definition.end, indented)

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
        reached = set()
        for name, definition in self.parts.items():
            if any(map(definition.holds, edits)):
                reached.add(name)
        while True:
            users = set()
            for name, used_names in self._uses.items():
                if used_names & reached:
                    users.add(name)
            if users <= reached:
                return reached
            reached |= users

    @cached_property
    def _uses(self) -> Mapping[str, set[str]]:
        """The names that each function or class of the module uses."""
        uses: dict[str, set[str]] = {}
        for name, definition in self.parts.items():
            uses[name] = set()
            for node in ast.walk(definition.node):
                if isinstance(node, ast.Name):
                    uses[name].add(node.id)
        return uses


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
        before = text[: edit.start]
        after = text[edit.end :]
        text = before + edit.new + after
    return text


@dataclass(frozen=True)
class Catalogue:
    """The misconceptions of a homework by their ids, and the solution that they are edits of."""

    solution: Solution
    mistakes: Mapping[str, Misconception]

    def edits_of(self, labels: Iterable[str]) -> set[Edit]:
        """Return all edits of some misconceptions.

        Raises:
            CourseError: there is no misconception of that id.
        """
        edits: set[Edit] = set()
        try:
            for label in labels:
                edits |= self.mistakes[label].edits
        except KeyError as error:
            path = self.solution.path.parent / CATALOGUE
            raise CourseError(f"{path} has no mistake {error}") from error
        return edits


# The file


class _MistakeEntry(Record):
    # A docstring would replace the word "table" in messages.
    says: Text
    edits: Replacements = field(default_factory=dict)
    body: Bodies = field(default_factory=dict)
    tasks: Texts | None = None
    excludes: Texts = ()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False


def read_catalogue(homework: Homework) -> tuple[Misconception, ...]:
    """Read a homework's misconceptions; a homework without the file has none.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    return tuple(read_edits(homework).mistakes.values())


def read_edits(homework: Homework) -> Catalogue:
    """Read a homework's misconceptions together with the solution that they edit.

    Those of a drill are its homework's.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    homework = homework.base or homework
    path = homework.folder / CATALOGUE
    if not homework.solution.is_file():
        raise CourseError(
            f"{homework.solution} is missing: mistakes are edits of the reference "
            "solution"
        )
    catalogue = _catalogue(
        path,
        read_text(path) if path.is_file() else "",
        homework.solution,
        homework.solution.read_text(encoding="utf-8"),
        tuple(task.name for task in homework.tasks),
    )
    translation = homework.language.path(path)
    if not translation.is_file():
        return catalogue
    return _translated(catalogue, translation)


def _translated(catalogue: Catalogue, path: Path) -> Catalogue:
    """Return a catalogue with the sentences of a file, as far as it has them; it lists them by the mistakes' ids.

    Raises:
        CourseError: the file is malformed, or there is no such mistake.
    """
    sentences = read_toml(path, dict[str, Text])
    mistakes = dict(catalogue.mistakes)
    for name, says in sentences.items():
        if name not in mistakes:
            raise CourseError(f"{path}: {CATALOGUE} has no mistake {name!r}")
        mistakes[name] = replace(mistakes[name], says=" ".join(says.split()))
    return Catalogue(catalogue.solution, mistakes)


@lru_cache(maxsize=64)  # every wrong answer asks for the edits of its mistakes
def _catalogue(
    path: Path,
    catalogue_text: str,
    solution_path: Path,
    solution_text: str,
    task_names: tuple[str, ...],
) -> Catalogue:
    """Return the misconceptions in a catalogue's text, as edits of a solution's text."""
    entries = parse_toml(catalogue_text, dict[str, Any], str(path))
    helpers = ""
    if HELPERS in entries:
        helpers = typed(entries.pop(HELPERS), Text, str(path), HELPERS)
    solution = Solution(solution_path, solution_text, helpers)
    lines_of_tables = _lines_of_tables(catalogue_text)
    mistakes = {}
    troubles = []
    for name, values in entries.items():
        # A table's head may be written in another way, such as with spaces: then the file's first line is named.
        place = f"{path}, line {lines_of_tables.get(name, 1)}"
        entry = typed(values, _MistakeEntry, place, name)
        try:
            mistakes[name] = _misconception(name, entry, solution, task_names)
        except ExceptionGroup as errors:
            troubles += [f"{place}: {error}" for error in errors.exceptions]
            continue
        for other in sorted(mistakes[name].excludes - set(entries)):
            troubles.append(f"{place}: {name}.excludes: {other!r} is not in this file")
    if troubles:
        raise CourseError("\n".join(troubles))
    return Catalogue(solution, mistakes)


def _lines_of_tables(text: str) -> dict[str, int]:
    """Return the number of the line on which each table of a TOML file begins."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        head = line.strip()
        if head.startswith("[") and head.endswith("]"):
            name = head[1:-1].removeprefix('"').removesuffix('"')
            lines.setdefault(name, number)
    return lines


def _misconception(
    name: str, entry: _MistakeEntry, solution: Solution, task_names: Sequence[str]
) -> Misconception:
    """Make a misconception of a table, with its edits in every function that a pattern means.

    Raises:
        ExceptionGroup: of a ``ValueError`` for each edit that does not fit the solution, or for a task that
            does not exist or is not changed.
    """
    edits: set[Edit] = set()
    errors: list[ValueError] = []
    for pattern, replacements in entry.edits.items():
        for function in _matching(solution, pattern, errors):
            for old, new in replacements:
                try:
                    edits.add(solution.replace(function, old, new))
                except ValueError as error:
                    errors.append(error)
    for pattern, body in entry.body.items():
        for function in _matching(solution, pattern, errors):
            edits.add(solution.replace_body(function, body))
    if errors:
        raise ExceptionGroup(name, errors)

    reached = solution.reached_by(edits)
    tasks = entry.tasks
    if tasks is None:
        tasks = tuple(task for task in task_names if task in reached)
    for task in sorted(set(tasks) - set(task_names)):
        errors.append(
            ValueError(f"{name}.tasks: homework.toml has no task named {task!r}")
        )
    if not errors and (not set(tasks) <= reached or not tasks):
        changed = ", ".join(sorted(reached)) or "nothing"
        errors.append(ValueError(f"{name}: its edits change {changed}, not its tasks"))
    if errors:
        raise ExceptionGroup(name, errors)
    return Misconception(
        id=name,
        tasks=tasks,
        says=" ".join(entry.says.split()),
        edits=frozenset(edits),
        excludes=frozenset(entry.excludes),
        alone=entry.alone,
        about_size=entry.about_size,
        by_exception=entry.by_exception,
    )


def _matching(
    solution: Solution, pattern: str, errors: list[ValueError]
) -> Sequence[str]:
    """Return the functions that a pattern means; if there is none, add the error."""
    try:
        return solution.matching(pattern)
    except ValueError as error:
        errors.append(error)
        return ()
